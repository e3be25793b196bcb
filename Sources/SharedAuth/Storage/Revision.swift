/// Names one write of one record: a counter and a random nonce, compared together.
///
/// The nonce keeps a revision from ever coming back, even after the record was deleted and the counter began anew.
public struct Revision: Sendable, Hashable, Codable {
    /// Counts the writes of the record since it was created.
    public let counter: UInt64
    /// Random.
    public let nonce: UInt64

    /// Makes a revision of its parts.
    public init(counter: UInt64, nonce: UInt64) {
        self.counter = counter
        self.nonce = nonce
    }

    /// The revision of the write that follows `previous`.
    static func following(_ previous: Revision?, nonce: UInt64) -> Revision {
        Revision(counter: (previous?.counter ?? 0) &+ 1, nonce: nonce)
    }
}
