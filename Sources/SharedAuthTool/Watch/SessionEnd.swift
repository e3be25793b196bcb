internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// The end of the session that a store lives in, with which a process that observes the store ends.
struct SessionEnd: Sendable {
    private let directory: BusDirectory?

    /// Ends the process when the session of the store is over; with `needsReader`, also when the reader of standard output
    /// has gone.
    init(of store: any RecordStore, needsReader: Bool) {
        directory = store.kind == .secretService ? BusDirectory() : nil
        ExitCondition.observe(directory, needsReader: needsReader) { Self.end($0) }
    }

    /// What the store is reached through, in words.
    var connection: String { directory == nil ? "the store" : "the message bus" }

    /// Ends the process if the session is over.
    func endIfOver() {
        if let directory, directory.isGone { Self.end(.sessionOver(directory: directory.path)) }
    }

    private static func end(_ condition: ExitCondition) -> Never {
        switch condition {
        case .readerGone:
            ProcessEnd.now(.success)
        case .sessionOver(let directory):
            ProcessEnd.now(
                .unavailable,
                saying: "\(directory), where the message bus was, is gone: the session has ended."
            )
        }
    }
}
