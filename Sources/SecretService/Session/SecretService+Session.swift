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
            let answer = try connection.answer(to: openingRequest(), by: deadline)
            return Session(path: answer.body[1].string, provider: answer.sender)
        }
        return (session, isNew)
    }

    private func openingRequest() throws(SecretServiceError) -> BusRequest {
        var request = try serviceRequest("OpenSession", .tuple(.string("plain"), .boxed(.string(""))), answer: "(vo)")
        request.mustNotBeCut = true
        return request
    }

    /// Sends a request, and opens the session in the same time if there is none. One that cannot be opened now is asked for
    /// again when it is needed.
    func callOpeningSession(
        _ request: BusRequest,
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Variant {
        var answer: Result<Variant, SecretServiceError>?
        _ = try? connection.session.value(by: deadline) { () throws(SecretServiceError) -> Session in
            let opened = try connection.answerUncut(to: openingRequest(), by: deadline) {
                answer = Result { () throws(SecretServiceError) in try connection.call(request, by: deadline) }
            }
            return Session(path: opened.body[1].string, provider: opened.sender)
        }
        if let answer { return try answer.get() }
        return try connection.call(request, by: deadline)
    }
}
