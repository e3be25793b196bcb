extension RecordKey {
    /// The attributes that find a record: the same five on every item of this library, so that none of its items is a
    /// subset of another, which is how daemons match when they replace.
    ///
    /// The schema is not among them: after a restart, a locked GNOME Keyring finds nothing by schema.
    var queryAttributes: [String: String] {
        [
            "sharedauth-format": "1",
            "sharedauth-scope": scopeName,
            "sharedauth-project": project,
            "sharedauth-instance": instance,
            Self.kindAttribute: kind,
        ]
    }

    /// The attributes a record is written with.
    var itemAttributes: [String: String] {
        queryAttributes.merging(["xdg:schema": "org.sharedauth.Record"]) { ours, _ in ours }
    }

    /// Whether an item's attributes are this key's and no one else's: what daemons add by themselves does not count.
    func isNamed(by attributes: [String: String]) -> Bool {
        let added = Self.addedByKeePassXC.union(["xdg:schema"])
        return attributes.filter { !added.contains($0.key) } == queryAttributes
    }

    /// The key that an item's attributes name, and no one else's; nil if they are not such as this library writes.
    init?(attributes: [String: String]) {
        guard let scope = attributes["sharedauth-scope"].flatMap(Scope.init(name:)),
            let project = attributes["sharedauth-project"],
            let instance = attributes["sharedauth-instance"],
            let kind = attributes[Self.kindAttribute]
        else { return nil }
        self.init(scope: scope, project: project, instance: instance, kind: kind)
        guard isNamed(by: attributes) else { return nil }
    }

    /// The attributes of a project's records of all scopes and kinds, and of an instance, if one is named.
    static func queryAttributes(ofProject project: String, instance: String?) -> [String: String] {
        let key = RecordKey(scope: .project, project: project, instance: instance ?? "", kind: "")
        var attributes = key.queryAttributes
        for name in ["sharedauth-scope", kindAttribute] { attributes[name] = nil }
        if instance == nil { attributes["sharedauth-instance"] = nil }
        return attributes
    }

    /// Whether an item's attributes are such as KeePassXC shows.
    static func isKeePassXC(_ attributes: [String: String]) -> Bool {
        addedByKeePassXC.isSubset(of: attributes.keys)
    }

    private static let addedByKeePassXC: Set = ["Title", "Notes", "Path", "URL", "UserName", "Uuid"]

    /// Whether a search for this key may find an item with these attributes.
    func isFound(by attributes: [String: String]) -> Bool {
        queryAttributes.allSatisfy { attributes[$0.key] == $0.value }
    }

    /// The name of the attribute that says what a record is.
    static let kindAttribute = "sharedauth-kind"

    /// What the kinds begin with of what is set aside of this record.
    var setAsidePrefix: String { kind + Self.setAsideMark }

    /// The key under which something that was found in this record's place is set aside.
    func setAside(_ number: UInt64) -> RecordKey {
        RecordKey(
            scope: scope,
            project: project,
            instance: instance,
            kind: "\(setAsidePrefix)\(String(number, radix: 16))"
        )
    }

    /// What the person sees in their keyring application.
    var label: String { "SharedAuth: \(self)" }
}
