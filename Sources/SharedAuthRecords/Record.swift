/// What a store holds under a key: bytes that only their owner understands, and the revision that wrote them.
public struct Record: Sendable, Hashable {
    /// The bytes.
    public let payload: [UInt8]
    /// The write that put them there.
    public let revision: Revision

    /// Makes a record.
    public init(payload: [UInt8], revision: Revision) {
        self.payload = payload
        self.revision = revision
    }

    /// The most bytes that a store lets a record grow to, 1 MiB; who knows what the bytes are may set a lower limit.
    package static let largestPayload = 1 << 20
}

extension Record: CustomStringConvertible, CustomReflectable {
    /// The size and the counter; never the payload.
    public var description: String { "Record(\(payload.count) bytes, revision \(revision.counter))" }
    /// Nothing: payloads are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
