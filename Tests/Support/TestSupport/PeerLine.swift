internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// One line that a peer process writes: a response to a command, or an event.
package struct PeerLine: Codable, Sendable, Hashable {
    /// The verb of the command that this responds to, or nil for an event.
    package var answer: String?
    /// The event: `state` and `token` are announcements. The identity provider reports `held` when it waits, `reused`
    /// for a refresh token that was used before, `refused` for a refresh that it refuses, and `foreign` for tokens of
    /// another issuer.
    package var event: String?
    /// The code of the error that the command ended with, and its text.
    package var error: Int?
    package var message: String?
    /// The user in question, and their refresh token.
    package var uid: String?
    package var token: String?
    package var name: String?
    package var group: String?
    /// The state of the current user, in one word.
    package var state: String?
    /// Indicates whether the user must sign in again.
    package var needsSignIn: Bool?
    /// The number of Secret Service calls that were sent while the command ran.
    package var calls: Int?
    package var count: Int?
    package var operations: [HistoryOperation]?
    package var acts: [HistoryAct]?

    package init(answer: String? = nil, event: String? = nil) {
        self.answer = answer
        self.event = event
    }
}

/// Writes whole lines to standard output from any thread.
package enum LineOutput {
    private static let turn = Mutex(())

    package static func write(_ line: PeerLine) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(line) else { return }
        write(String(decoding: data, as: UTF8.self))
    }

    package static func write(_ line: String) {
        var rest = Array("\(line)\n".utf8)[...]
        turn.withLock { _ in
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
                }
                // The reader is gone, so the test has ended.
                guard count > 0 || errno == EINTR else { exit(1) }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
