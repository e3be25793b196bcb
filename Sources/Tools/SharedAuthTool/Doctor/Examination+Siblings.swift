internal import CommandLineSupport
internal import SecretService

extension Examination {
    /// Warns of a second keyring daemon of this user, such as one that a login beside the desktop has started.
    mutating func checkSiblings(of daemon: KeyringDaemon) {
        let siblings = daemon.siblings
        if siblings.isEmpty { return }
        let numbers = siblings.map { String($0.processID) }
        let name = daemon.programName ?? "The keyring daemon"
        note(
            .warning(
                "provider",
                "\(name) runs \(numbers.count + 1) times for this user, also as process "
                    + "\(numbers.joined(separator: ", ")). If they keep the same file, sign-ins are lost.",
                remedy: "End the ones that do not belong to the desktop's session, and restart its own."
            )
        )
    }
}
