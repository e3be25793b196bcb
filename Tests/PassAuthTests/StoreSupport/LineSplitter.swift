import Foundation
import Synchronization

/// Cuts what a process writes into lines.
final class LineSplitter: Sendable {
    private let rest = Mutex<[UInt8]>([])
    private let continuation: AsyncStream<String>.Continuation

    init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

    /// Takes in what was read; an empty piece is the end.
    func receive(_ data: Data) {
        if data.isEmpty { return continuation.finish() }
        rest.withLock { rest in
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
    }
}
