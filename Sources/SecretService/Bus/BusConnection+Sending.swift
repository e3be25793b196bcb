internal import CLibsecret

// What is sent without waiting for its answer.
extension BusConnection {
    /// Sends a request whose answer nobody needs.
    func post(_ request: BusRequest) {
        _ = gate.pass(request) {
            send(request, G_DBUS_CALL_FLAGS_NO_AUTO_START, within: -1, answer: nil)
            return .success(())
        }
    }

    /// Sends a request, and returns when it is on its way: whatever this connection sends afterwards, the bus takes later.
    func begin(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> PendingAnswer {
        try gate.pass(request) { () -> Result<PendingAnswer, SecretServiceError> in
            let answer = PendingAnswer(to: request, in: sandbox)
            // GLib calls back in the context of the thread that sends.
            _ = GLibThread.shared.run(by: deadline) { [self] in
                guard !deadline.isPast, answer.takeUp() else { return }
                send(request, G_DBUS_CALL_FLAGS_NONE, within: deadline.remaining.wholeMilliseconds, answer: answer)
            }
            return answer.takeUp() ? .failure(.neverSent(request, by: deadline)) : .success(answer)
        }.get()
    }

    private func send(
        _ request: BusRequest,
        _ flags: GDBusCallFlags,
        within milliseconds: Int32,
        answer: PendingAnswer?
    ) {
        unsafe withUnsafePointer { connection in
            unsafe request.withArguments { arguments in
                unsafe g_dbus_connection_call(
                    connection,
                    request.destination,
                    request.path,
                    request.interface,
                    request.member,
                    arguments,
                    nil,
                    flags,
                    milliseconds == 0 ? 1 : milliseconds,
                    nil,
                    answer == nil ? nil : answerArrived,
                    answer.map(retainedBox)
                )
            }
        }
    }
}
