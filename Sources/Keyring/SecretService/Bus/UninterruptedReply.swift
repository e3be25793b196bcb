internal import CGLibSecret
internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// The reply to a request during which the connection must stay open. Closing it can crash the keyring daemon of the
/// whole desktop: GNOME Keyring 42.1 dies of an `OpenSession` whose caller has disconnected.
///
/// A caller may give up at its deadline. The connection stays open until the reply arrives, and a process that exits
/// waits for it, for a second at most.
final class UninterruptedReply: Sendable {
    private let connection: ServiceConnection
    private let answer: PendingAnswer
    private let isSettled = Monitor(false)
    /// Indicates whether a background thread waits for the reply.
    private let isLate = Atomic(false)

    private init(_ connection: ServiceConnection, _ answer: PendingAnswer) {
        self.connection = connection
        self.answer = answer
    }

    /// The number of requests in this process without a reply.
    private static let underWay = Monitor(0)

    private static let waitsAtExit: Void = {
        atexit {
            _ = UninterruptedReply.underWay.wait(until: .after(.seconds(1))) { count in count == 0 ? () : nil }
        }
    }()

    /// Sends a request.
    static func sending(_ request: BusRequest, on connection: ServiceConnection) -> UninterruptedReply {
        waitsAtExit
        underWay.update { $0 += 1 }
        return UninterruptedReply(
            connection,
            .sending(request, on: connection, awaitedIn: AnswerContext(), within: Int32.max)
        )
    }

    /// Waits for the reply or the error. Returns nil at the deadline; a background thread then continues to wait.
    func wait(by deadline: Deadline) -> Result<BusAnswer, SecretServiceError>? {
        if isLate.load(ordering: .acquiring) {
            return isSettled.wait(until: deadline) { [answer] isSettled in isSettled ? answer.result : nil }
        }
        guard let result = answer.wait(by: deadline) else {
            isLate.store(true, ordering: .releasing)
            unsafe g_thread_unref(g_thread_new("late-answer", awaitLateAnswer, retainedBox(self)))
            return nil
        }
        Self.underWay.update { $0 -= 1 }
        return result
    }

    /// Waits for the reply, on the background thread.
    func finish() {
        answer.wait()
        isSettled.update { $0 = true }
        connection.lateSession.withLock { [self] late in
            if late === self { late = nil }
        }
        Self.underWay.update { $0 -= 1 }
    }

    /// Indicates whether the reply arrived on the background thread.
    var isFinished: Bool { isSettled.update { $0 } }
}

/// The body of the background thread that waits for an `UninterruptedReply`.
func awaitLateAnswer(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<UninterruptedReply>.fromOpaque(data).takeRetainedValue().finish()
    }
    return nil
}

extension ServiceConnection {
    /// Sends a request that must not be interrupted, or waits for the reply to one that an earlier caller gave up on.
    func performUncut(_ request: BusRequest, by deadline: Deadline) -> Result<BusAnswer, SecretServiceError> {
        wait(for: sendUncut(request), request, by: deadline)
    }

    /// Sends a request that must not be interrupted, calls `work` before the reply is awaited, and waits for the reply.
    func answerUncut(
        to request: BusRequest,
        by deadline: Deadline,
        meanwhile work: () -> Void
    ) throws(SecretServiceError) -> BusAnswer {
        guard !deadline.isPast else { throw .neverSent(request, by: deadline) }
        let sent = gate.pass(request) { .success(sendUncut(request.form(for: lastSender))) }
        work()
        return try answer(
            to: request,
            by: deadline,
            after: sent.flatMap { awaited in wait(for: awaited, request, by: deadline) }
        )
    }

    private func sendUncut(_ request: BusRequest) -> UninterruptedReply {
        let answer = lateSession.withLock { late in
            defer { late = nil }
            return late
        }
        return answer ?? .sending(request, on: self)
    }

    private func wait(
        for awaited: UninterruptedReply,
        _ request: BusRequest,
        by deadline: Deadline
    ) -> Result<BusAnswer, SecretServiceError> {
        guard let result = awaited.wait(by: deadline) else {
            lateSession.withLock { $0 = awaited.isFinished ? nil : awaited }
            return .failure(.neverAnswered(request))
        }
        return result
    }
}
