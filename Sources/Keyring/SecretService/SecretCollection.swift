internal import DesktopSupport

/// A handle for a collection of items, a keyring.
///
/// Its methods block and throw as those of ``SecretService`` do. They also throw `.noSuchCollection` if the collection
/// does not exist, and `.locked` while it is locked. Handles are equal if they have the same path and the same service
/// object.
public struct SecretCollection: SecretServiceObject, Hashable {
    /// The D-Bus path of the collection.
    public let path: String
    let service: SecretService

    /// Returns the name that a keyring application shows. Costs one round trip.
    public func label(by deadline: Deadline? = nil) throws(SecretServiceError) -> String {
        try property("Label", "s", by: deadline).string
    }

    /// Returns true if secrets cannot be read or written before the collection is unlocked. Costs one round trip.
    public func isLocked(by deadline: Deadline? = nil) throws(SecretServiceError) -> Bool {
        try property("Locked", "b", by: deadline).bool
    }

    /// Requests the collection's lock state.
    package func askIfLocked(by deadline: Deadline) throws(SecretServiceError) -> SentRequest<Bool> {
        let request = try service.propertyRequest("Locked", of: .collection, at: path)
        return try service.ask(request, by: deadline) { (answer) throws(SecretServiceError) in
            try request.property("b", in: answer).bool
        }
    }

    /// Returns all items of the collection. Costs one round trip.
    public func items(by deadline: Deadline? = nil) throws(SecretServiceError) -> [SecretItem] {
        service.items(at: try property("Items", "ao", by: deadline).strings)
    }

    private func property(
        _ name: String,
        _ type: String,
        by deadline: Deadline?
    ) throws(SecretServiceError) -> Variant {
        try service.property(name, type, of: .collection, at: path, by: service.deadline(by: deadline))
    }

    /// Returns true if both have the same path and the same service object.
    public static func == (left: SecretCollection, right: SecretCollection) -> Bool {
        left.path == right.path && left.service === right.service
    }

    /// Hashes the path and the identity of the service.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(ObjectIdentifier(service))
    }
}

extension SecretCollection {
    /// Stores a secret with a label and attributes. Costs one round trip if the daemon needs no prompt.
    ///
    /// - Important: With `replacing`, every daemon replaces an item that has *at least* these attributes. Give all
    ///   items that belong together the same keys.
    ///
    /// Throws `.invalidArgument` for an empty label, no attributes or more than 16 MiB in total, `.locked` while the
    /// collection is locked, `.dismissed` if the daemon prompted the user, who declined. If `contentType` is nil, the
    /// secret's content type is stored.
    public func createItem(
        label: String,
        attributes: [String: String],
        secret: Secret,
        contentType: String? = nil,
        replacing: Bool = true,
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SecretItem {
        let deadline = service.deadline(by: deadline)
        let properties = Variant.array(
            of: "{sv}",
            [
                .entry("org.freedesktop.Secret.Item.Label", .boxed(.string(try Wire.label(label)))),
                .entry(
                    "org.freedesktop.Secret.Item.Attributes",
                    .boxed(.stringDictionary(try Wire.attributes(attributes)))
                ),
            ]
        )
        let type = try secret.sendableType(contentType)
        // Before a session is opened.
        try Wire.checkSize(properties.size, of: "The label and the attributes")
        let answer = try service.callInSession(by: deadline) { session throws(SecretServiceError) in
            let arguments = Variant.tuple(
                properties,
                secret.wire(in: session, contentType: type),
                .bool(replacing)
            )
            return try service.request(
                "CreateItem",
                arguments,
                of: .collection,
                at: path,
                answer: "(oo)",
                mutates: true
            )
        }
        let item = answer[0].string
        guard item == "/" else { return service.item(at: item) }
        // KeePassXC returns the item's path only when its prompt has completed.
        return service.item(at: try service.path(promisedBy: answer[1].string, "CreateItem on \(path)", by: deadline))
    }
}
