import Dispatch
import Glibc
import SecretService
import TestSupport
import Testing

extension SecretService {
    /// Stores an item in the default collection.
    @discardableResult
    func store(_ secret: String, as name: String, replacing: Bool = true) throws -> SecretItem {
        try defaultCollection().createItem(
            label: "A test's item",
            attributes: ["test": name],
            secret: Secret(secret),
            replacing: replacing
        )
    }
}

/// Runs `body` on another thread and records its result.
func inBackground<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Recorder<Result> {
    let recorder = Recorder<Result>()
    DispatchQueue.global().async { recorder.record(body()) }
    return recorder
}

/// A pipe for the output of a helper process.
final class Output: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
        let ends = try SocketPair()
        (reading, writing) = (ends.ours, ends.theirs)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Returns the next line, without its newline.
    func readLine() -> String { nextLine(from: reading) }
}
