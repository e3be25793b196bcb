/// One line that a peer process writes: an answer to a command, or something that happened.
package struct PeerLine: Codable, Sendable, Hashable {
    /// The verb of the command that this answers; nil for an event.
    package var answer: String?
    /// What happened: `state` and `token` are announcements, `held` says that a hold was reached.
    package var event: String?
    /// The code of the error that the command ended with, and its text.
    package var error: Int?
    package var message: String?
    /// The user in question, and their refresh token.
    package var uid: String?
    package var token: String?
    package var name: String?
    package var group: String?
    /// What is known of the current user, in one word.
    package var state: String?
    /// How many calls of the Secret Service left while the command ran.
    package var calls: Int?
    package var count: Int?
    package var operations: [HistoryOperation]?

    package init(answer: String? = nil, event: String? = nil) {
        self.answer = answer
        self.event = event
    }
}
