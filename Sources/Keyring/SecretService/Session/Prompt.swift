internal import DesktopSupport

extension SecretService {
    private enum Answer: Sendable {
        case completed(dismissed: Bool, result: Variant)
        case daemonVanished
        case busClosed
    }

    /// Throws `.dismissed` if there is no display to show a prompt, since some daemons would wait forever. The prompt
    /// was never shown, so there is nothing to dismiss.
    func requireDisplay(for member: String) throws(SecretServiceError) {
        guard !configuration.hasDisplay else { return }
        throw SecretServiceError(
            code: .dismissed,
            message: "\(member): this needs a prompt, and there is no display to show it: neither DISPLAY nor "
                + "WAYLAND_DISPLAY is set.",
            remedy: "Run inside a desktop session."
        )
    }

    /// Runs a prompt, and waits for the user to respond.
    ///
    /// If the user does not respond by the deadline, throws `.timedOut` with an unknown outcome, or `.dismissed` if the
    /// deadline was cancelled. Withdraws the prompt if this kind of daemon is known to survive that. Otherwise the
    /// prompt stays open: a later response takes effect, and is reported like any other change.
    func complete(prompt path: String, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        let connection = try connection(by: deadline)
        let answer = Monitor<Answer?>(nil)
        // Subscribe before the prompt runs: its signal may follow immediately, and is sent to this connection only.
        let subscription = try connection.subscribe(to: rules(forPrompt: path), by: deadline) { event in
            let received: Answer? =
                switch event {
                case .closed: .busClosed
                case .signal(let signal): Self.answer(in: signal)
                }
            answer.update { $0 = $0 ?? received }
        }
        defer { subscription.end() }
        let arguments = Variant.tuple(.string(""))
        // Look the daemon up now: after a timeout there is no time left for it.
        let daemon = try? answeringDaemon(by: deadline)
        do {
            let prompt = try request("Prompt", arguments, of: .prompt, at: path, answer: "()", mutates: true)
            _ = try connection.call(prompt, by: deadline)
        } catch {
            // A call that was refused or never sent has shown nothing.
            if error.outcomeIsUnknown { withdraw(path, on: connection, daemon) }
            throw error
        }
        switch answer.wait(until: deadline, { $0 }) {
        case .completed(dismissed: false, let result):
            return result
        case .completed(dismissed: true, _):
            throw failure(.dismissed, at: path, outcomeIsUnknown: false)
        case .daemonVanished:
            throw failure(.noDaemon, at: path, outcomeIsUnknown: true)
        case .busClosed:
            throw failure(.busClosed, at: path, outcomeIsUnknown: true)
        case nil:
            withdraw(path, on: connection, daemon)
            if deadline.isCancelled { throw .cancelled("Prompt", path) }
            throw failure(.timedOut, at: path, outcomeIsUnknown: true)
        }
    }

    /// Dismisses a prompt that no call waits for, if the daemon is known to survive that. Does not block.
    private func withdraw(_ prompt: String, on connection: ServiceConnection, _ daemon: KeyringDaemon?) {
        guard let daemon, daemon.survivesDismissal else { return }
        guard var dismissal = try? request("Dismiss", nil, of: .prompt, at: prompt, answer: "()") else { return }
        // Address the daemon itself: another program may own the name by now, and have a prompt at the same path.
        dismissal.destination = daemon.uniqueName
        connection.post(dismissal)
    }

    /// Returns the path of an object that is created only when a prompt has completed.
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
            message: "\(request): the keyring daemon did not say what it created. Search for it.",
            outcomeIsUnknown: true
        )
    }

    private func rules(forPrompt path: String) -> [SignalRule] {
        let completed = SignalRule(
            sender: configuration.busName,
            interface: "org.freedesktop.Secret.Prompt",
            member: "Completed",
            path: path
        )
        return [completed, .owner(of: configuration.busName)]
    }

    private static func answer(in signal: BusSignal) -> Answer? {
        switch (signal.member, signal.arguments.type) {
        case ("Completed", "(bv)"):
            return .completed(dismissed: signal.arguments[0].bool, result: signal.arguments[1][0])
        case ("NameOwnerChanged", "(sss)"):
            return .daemonVanished
        default:
            return nil
        }
    }

    private func failure(
        _ code: SecretServiceError.Code,
        at path: String,
        outcomeIsUnknown: Bool
    ) -> SecretServiceError {
        SecretServiceError(code, in: "Prompt on \(path)", outcomeIsUnknown: outcomeIsUnknown)
    }
}
