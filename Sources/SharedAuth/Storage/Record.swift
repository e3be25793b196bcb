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
}

extension Record: CustomStringConvertible, CustomReflectable {
    /// The size and the counter; never the payload.
    public var description: String { "Record(\(payload.count) bytes, revision \(revision.counter))" }
    /// Nothing: payloads are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
