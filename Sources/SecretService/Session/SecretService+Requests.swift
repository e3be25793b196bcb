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
        var request = try request(subject, path, "Get", nil, answer: "(v)")
        request.arguments = .tuple(.string(request.interface), .string(name))
        request.interface = "org.freedesktop.DBus.Properties"
        let value = try call(request, by: deadline)[0][0]
        guard value.type == type else {
            throw .unexpectedAnswer(to: request, value.type)
        }
        return value
    }

    /// The object of the provider that answers for all.
    static let path = "/org/freedesktop/secrets"
}
