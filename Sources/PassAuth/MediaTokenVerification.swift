/// What a ``MediaTokenVerifier`` found.
public struct MediaTokenVerification: Sendable, Hashable {
    /// The verdict.
    public let status: MediaTokenStatus
    /// The token; nil unless its signature is good and it was issued to this programmer, since nothing else in it is to be
    /// believed. Its ``MediaToken/id`` is what a register of used tokens keeps.
    public let token: MediaToken?
    /// Why the token is not valid, for people; nil when it is. Says nothing of what the token holds.
    public let reason: String?

    init(status: MediaTokenStatus, token: MediaToken?, reason: String?) {
        self.status = status
        self.token = token
        self.reason = reason
    }

    /// Whether the stream may start.
    public var isValid: Bool { status == .valid }
}
