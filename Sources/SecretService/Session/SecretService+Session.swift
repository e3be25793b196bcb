internal import GLibSupport

extension SecretService {
    /// Sends the request that `make` builds for our session, opening one if there is none.
    ///
    /// If the session may have been lost with a provider that was restarted, a new one is opened and the request repeated,
    /// twice at most.
    /// `make` must not have side effects. If nobody answers to the name, as asked either fails or waits for a provider to
    /// appear.
    func callInSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        try awaitingProvider(by: deadline) { () throws(SecretServiceError) in
            try callInPresentSession(by: deadline, make)
        }
    }

    private func callInPresentSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        let connection = try connection(by: deadline)
        var repeats = 0
        while true {
            let (session, isNew) = try session(on: connection, by: deadline)
            do throws(SecretServiceError) {
                return try connection.call(make(session), by: deadline)
            } catch {
                guard repeats < 2, session.mayBeLost(after: error, isNew: isNew) else { throw error }
                repeats += 1
                connection.session.discard { present in present === session }
            }
        }
    }

    /// The secret in an answer; one that is not for our session makes us forget the session.
    func secret(from wire: Variant, of path: String, by deadline: Deadline) throws(SecretServiceError) -> Secret {
        if let secret = Secret(wire: wire) { return secret }
        try connection(by: deadline).session.discard { _ in true }
        throw SecretServiceError(
            code: .protocolViolation,
            message: "The secret of \(path) came encrypted although the session is plain. Try again."
        )
    }

    private func session(
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (session: Session, isNew: Bool) {
        var isNew = false
        let session = try connection.session.value(by: deadline) { () throws(SecretServiceError) -> Session in
            isNew = true
            var request = try serviceRequest(
                "OpenSession",
                .tuple(.string("plain"), .boxed(.string(""))),
                answer: "(vo)"
            )
            request.mustNotBeCut = true
            let answer = try connection.answer(to: request, by: deadline)
            return Session(path: answer.body[1].string, provider: answer.sender)
        }
        return (session, isNew)
    }
}
