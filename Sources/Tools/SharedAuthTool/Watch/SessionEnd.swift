internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Ends a process that observes a store when the store's session ends.
struct SessionEnd: Sendable {
    private let directory: BusDirectory?

    /// Ends the process when the session of the store ends; with `needsReader`, also when the reader closes standard
    /// output.
    init(of store: any RecordStore, needsReader: Bool) {
        directory = store.kind == .secretService ? BusDirectory() : nil
        ExitCondition.observe(directory, needsReader: needsReader) { Self.end($0) }
    }

    /// The connection to the store, for messages.
    var connection: String { directory == nil ? "the store" : "the message bus" }

    /// Ends the process if the session has ended.
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
