internal import GLibSupport

extension SecretService {
    /// The collection in which items are kept unless something else is asked for.
    ///
    /// Throws `.noDefaultCollection` if the provider has none, as on a fresh machine. One round trip; two before that is
    /// believed of a provider that has not answered this service before, as GNOME Keyring now and then says so falsely in
    /// answer to the first call of a connection.
    public func defaultCollection(by deadline: Deadline? = nil) throws(SecretServiceError) -> SecretCollection {
        let request = try defaultAliasRequest()
        let deadline = self.deadline(deadline)
        let known = lastSender
        let path = try call(request, by: deadline)[0].string
        return try defaultCollection(path: path, answering: request, after: known, by: deadline)
    }

    /// A question for the path of the default collection.
    func defaultAliasRequest() throws(SecretServiceError) -> BusRequest {
        try serviceRequest("ReadAlias", .tuple(.string("default")), answer: "(o)")
    }

    /// The default collection at the path that was the answer to a request; `known` is who had answered before that.
    func defaultCollection(
        path answered: String,
        answering request: BusRequest,
        after known: String?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretCollection {
        var path = answered
        if path == "/", known == nil || lastSender != known {
            path = try call(request, by: deadline)[0].string
        }
        guard path != "/" else {
            throw SecretServiceError(
                code: .noDefaultCollection,
                message: "ReadAlias on \(Self.path): \(SecretServiceError.explanation(of: .noDefaultCollection))"
            )
        }
        return SecretCollection(path: path, service: self)
    }

    /// All collections, locked ones and those kept only in memory included. One round trip.
    public func collections(by deadline: Deadline? = nil) throws(SecretServiceError) -> [SecretCollection] {
        try property("Collections", "ao", of: .service, at: Self.path, by: self.deadline(deadline)).strings
            .map { path in SecretCollection(path: path, service: self) }
    }

    /// A handle on the collection at a path that is known already; asks nobody whether it exists.
    public func collection(at path: String) -> SecretCollection {
        SecretCollection(path: path, service: self)
    }
}
