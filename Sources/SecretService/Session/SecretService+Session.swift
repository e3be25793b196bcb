internal import Synchronization

extension SecretService {
    /// Sends the request that `make` builds for our session, opening one if there is none.
    ///
    /// If the session may have been lost with a provider that was restarted, a new one is opened and the request repeated once.
    /// `make` must not have side effects.
    func callInSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        let connection = try connection(by: deadline)
        let (session, isNew) = try session(on: connection, by: deadline)
        do throws(SecretServiceError) {
            return try connection.call(make(session), by: deadline)
        } catch {
            guard error.mayMeanLostSession, !isNew else { throw error }
            forget(session, on: connection)
            return try connection.call(make(self.session(on: connection, by: deadline).session), by: deadline)
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

    /// Asks for a session that will be needed soon, if there is none and none is on its way, and does not wait for it.
    package func prepareSession(within deadline: Deadline) throws(SecretServiceError) {
        let connection = try connection(by: deadline)
        guard connection.session.isAbsent, connection.preparedSession.withLock({ $0 == nil }) else { return }
        let answer = try connection.begin(sessionRequest(), by: deadline)
        connection.preparedSession.withLock { $0 = answer }
    }

    private func session(
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (session: Session, isNew: Bool) {
        var isNew = false
        let session = try connection.session.value(by: deadline) { () throws(SecretServiceError) -> Session in
            let prepared = connection.preparedSession.withLock { answer in
                defer { answer = nil }
                return answer
            }
            // A prepared one may be of a provider that is gone, and what went wrong with it may no longer be wrong.
            if let answer = try? prepared?.wait(by: deadline) { return Session(path: answer[1].string) }
            isNew = true
            return Session(path: try connection.call(sessionRequest(), by: deadline)[1].string)
        }
        return (session, isNew)
    }

    private func sessionRequest() throws(SecretServiceError) -> BusRequest {
        try serviceRequest("OpenSession", .tuple(.string("plain"), .boxed(.string(""))), answer: "(vo)")
    }

    private func forget(_ session: Session, on connection: BusConnection) {
        connection.session.discard { present in present === session }
    }
}
