internal import GLibSupport

extension SecretService {
    /// Makes a collection, having the provider ask the person for its password if it wants one.
    ///
    /// Providers do not look for one of the same label: look first. Give it a deadline to match a person. Throws `.dismissed`
    /// if the person declined or nobody could be asked, `.timedOut` if nobody answered, `.invalidArgument` for an empty label.
    public func createCollection(
        label: String,
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SecretCollection {
        let deadline = self.deadline(deadline)
        let properties = Variant.array(
            of: "{sv}",
            [.entry("org.freedesktop.Secret.Collection.Label", .boxed(.string(try Wire.label(label))))]
        )
        let request = try serviceRequest(
            "CreateCollection",
            .tuple(properties, .string("")),
            answer: "(oo)",
            mutates: true
        )
        let answer = try call(request, by: deadline)
        if answer[0].string != "/" { return collection(at: answer[0].string) }
        try requireDisplay(for: answer[1].string, "CreateCollection", by: deadline)
        return collection(at: try path(promisedBy: answer[1].string, "CreateCollection on \(Self.path)", by: deadline))
    }

    /// The path of what is made only when a prompt has completed.
    func path(
        promisedBy prompt: String,
        _ request: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> String {
        if prompt != "/" {
            let result = try complete(prompt: prompt, by: deadline)
            if ["o", "s"].contains(result.type), result.string.hasPrefix("/"), result.string != "/" {
                return result.string
            }
        }
        throw SecretServiceError(
            code: .protocolViolation,
            message: "\(request): the provider did not say what it made. Search for it.",
            outcomeIsUnknown: true
        )
    }
}
