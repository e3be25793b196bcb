internal import GLibSupport

extension SecretItem {
    /// Reads the secret.
    public func secret(by deadline: Deadline? = nil) throws(SecretServiceError) -> Secret {
        let deadline = service.deadline(deadline)
        let answer = try service.callInSession(by: deadline) { session throws(SecretServiceError) in
            try secretRequest(in: session)
        }
        return try service.secret(from: answer[0], of: path, by: deadline)
    }

    /// A question for the secret.
    func secretRequest(in session: Session) throws(SecretServiceError) -> BusRequest {
        try service.request(
            .item,
            path,
            "GetSecret",
            .tuple(.objectPath(session.path)),
            answer: "(\(Secret.wireType))"
        )
    }

    /// Replaces the secret and leaves the rest as it is. Throws `.invalidArgument` for one of more than 16 MiB.
    ///
    /// GNOME Keyring tells nobody of it: where others watch, create the item again with `replacing` instead.
    public func setSecret(_ secret: Secret, by deadline: Deadline? = nil) throws(SecretServiceError) {
        let type = try secret.sendableType(nil)
        _ = try service.callInSession(by: service.deadline(deadline)) { session throws(SecretServiceError) in
            let arguments = Variant.tuple(secret.wire(in: session, contentType: type))
            return try service.request(.item, path, "SetSecret", arguments, answer: "()", mutates: true)
        }
    }

    /// Deletes the item; runs the prompt that some providers return for that, which may throw `.dismissed`.
    public func delete(by deadline: Deadline? = nil) throws(SecretServiceError) {
        let deadline = service.deadline(deadline)
        let request = try service.request(.item, path, "Delete", nil, answer: "(o)", mutates: true)
        let prompt = try service.call(request, by: deadline)[0].string
        if prompt != "/" {
            _ = try service.complete(prompt: prompt, by: deadline)
        }
    }
}
