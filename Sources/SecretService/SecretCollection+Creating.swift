internal import GLibSupport

extension SecretCollection {
    /// Stores a secret under a label and attributes, in one round trip where the provider needs no prompt.
    ///
    /// - Important: With `replacing`, every provider takes an item that has *at least* these attributes for the one to
    ///   replace. Give all items that belong together the same keys.
    ///
    /// Throws `.invalidArgument` for an empty label, no attributes or more than 16 MiB in all, `.locked` while the collection is locked, `.dismissed` if
    /// the provider asked the person and was refused. `contentType` stands for the secret's own if it is nil.
    public func createItem(
        label: String,
        attributes: [String: String],
        secret: Secret,
        contentType: String? = nil,
        replacing: Bool = true,
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SecretItem {
        let deadline = service.deadline(deadline)
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
        let answer = try service.callInSession(by: deadline) { session throws(SecretServiceError) in
            let arguments = Variant.tuple(
                properties,
                secret.wire(in: session, contentType: type),
                .bool(replacing)
            )
            return try service.request(.collection, path, "CreateItem", arguments, answer: "(oo)", mutates: true)
        }
        let item = answer[0].string
        guard item == "/" else { return service.item(at: item) }
        // KeePassXC names the item only when its prompt has completed.
        return service.item(at: try service.path(promisedBy: answer[1].string, "CreateItem on \(path)", by: deadline))
    }
}
