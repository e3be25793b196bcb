extension RecordKey {
    /// The attributes for finding a record. Every item of this library has the same five, so no item's attributes are a
    /// subset of another's; daemons match by subset when they replace.
    ///
    /// The schema is not included: after a restart, a locked GNOME Keyring finds nothing by schema.
    var queryAttributes: [String: String] {
        [
            "sharedauth-format": "1",
            "sharedauth-scope": scopeName,
            "sharedauth-project": project,
            "sharedauth-instance": instance,
            Self.kindAttribute: kind,
        ]
    }

    /// The attributes of a record's item.
    var itemAttributes: [String: String] {
        queryAttributes.merging(["xdg:schema": "org.sharedauth.Record"]) { ours, _ in ours }
    }

    /// Returns whether an item's attributes are exactly those of this key, ignoring attributes that daemons add.
    func isNamed(by attributes: [String: String]) -> Bool {
        let added = Self.addedByKeePassXC.union(["xdg:schema"])
        return attributes.filter { !added.contains($0.key) } == queryAttributes
    }

    /// Creates the key from an item's attributes; nil unless they are exactly those that this library writes.
    init?(attributes: [String: String]) {
        guard let scope = attributes["sharedauth-scope"].flatMap(Scope.init(name:)),
            let project = attributes["sharedauth-project"],
            let instance = attributes["sharedauth-instance"],
            let kind = attributes[Self.kindAttribute]
        else { return nil }
        self.init(scope: scope, project: project, instance: instance, kind: kind)
        guard isNamed(by: attributes) else { return nil }
    }

    /// Returns the attributes for finding a project's records in all scopes and of all kinds, limited to an instance
    /// unless it is nil.
    static func queryAttributes(ofProject project: String, instance: String?) -> [String: String] {
        let key = RecordKey(scope: .project, project: project, instance: instance ?? "", kind: "")
        var attributes = key.queryAttributes
        for name in ["sharedauth-scope", kindAttribute] { attributes[name] = nil }
        if instance == nil { attributes["sharedauth-instance"] = nil }
        return attributes
    }

    /// Returns whether an item's attributes are typical of KeePassXC.
    static func isKeePassXC(_ attributes: [String: String]) -> Bool {
        addedByKeePassXC.isSubset(of: attributes.keys)
    }

    private static let addedByKeePassXC: Set = ["Title", "Notes", "Path", "URL", "UserName", "Uuid"]

    /// Returns whether a search for this key can match an item with these attributes.
    func isFound(by attributes: [String: String]) -> Bool {
        queryAttributes.allSatisfy { attributes[$0.key] == $0.value }
    }

    /// The name of the attribute for a record's kind.
    static let kindAttribute = "sharedauth-kind"

    /// The prefix of the kinds of copies set aside from this record.
    var setAsidePrefix: String { kind + Self.setAsideMark }

    /// Returns the key of a copy that is set aside from this record's place.
    func setAside(_ number: UInt64) -> RecordKey {
        RecordKey(
            scope: scope,
            project: project,
            instance: instance,
            kind: "\(setAsidePrefix)\(String(number, radix: 16))"
        )
    }

    /// The label that the user sees in the keyring application.
    var label: String { "SharedAuth: \(self)" }
}
