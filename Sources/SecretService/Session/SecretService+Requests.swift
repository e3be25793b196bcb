internal import GLibSupport

extension SecretService {
    /// A call to an object of the provider.
    ///
    /// It goes to the well-known name, so that the bus starts a provider if none runs, and a restarted one is found.
    func request(
        _ subject: BusRequest.Subject,
        _ path: String,
        _ member: String,
        _ arguments: Variant?,
        answer: String,
        mutates: Bool = false
    ) throws(SecretServiceError) -> BusRequest {
        let interface =
            switch subject {
            case .bus, .service: "org.freedesktop.Secret.Service"
            case .collection: "org.freedesktop.Secret.Collection"
            case .item: "org.freedesktop.Secret.Item"
            case .prompt: "org.freedesktop.Secret.Prompt"
            }
        return BusRequest(
            destination: try Wire.busName(configuration.busName),
            path: try Wire.objectPath(path),
            interface: interface,
            member: member,
            arguments: arguments,
            answer: answer,
            subject: subject,
            mutates: mutates
        )
    }

    /// A call to the service object.
    func serviceRequest(
        _ member: String,
        _ arguments: Variant?,
        answer: String,
        mutates: Bool = false
    ) throws(SecretServiceError) -> BusRequest {
        try request(.service, SecretService.path, member, arguments, answer: answer, mutates: mutates)
    }

    /// Reads a property of the D-Bus type `type`.
    func property(
        _ name: String,
        _ type: String,
        of subject: BusRequest.Subject,
        at path: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Variant {
        let request = try propertyRequest(name, of: subject, at: path)
        return try request.property(type, in: call(request, by: deadline))
    }

    /// A question for a property.
    func propertyRequest(
        _ name: String,
        of subject: BusRequest.Subject,
        at path: String
    ) throws(SecretServiceError) -> BusRequest {
        var request = try request(subject, path, "Get", nil, answer: "(v)")
        request.arguments = .tuple(.string(request.interface), .string(name))
        request.interface = "org.freedesktop.DBus.Properties"
        return request
    }

    /// The object of the provider that answers for all.
    static let path = "/org/freedesktop/secrets"
}

extension BusRequest {
    /// The property of the D-Bus type `type` in an answer to this question for one.
    func property(_ type: String, in answer: Variant) throws(SecretServiceError) -> Variant {
        let value = answer[0][0]
        guard value.type == type else { throw .unexpectedAnswer(to: self, value.type, insteadOf: type) }
        return value
    }
}
