import Foundation
import TestSupport

/// A process of another project that works on each line it receives, and responds with the duration of each repetition.
final class LineWorker {
    private let child: ChildProcess
    private let orders = Pipe()
    private let answers = Pipe()
    private let lines: LineReader
    private let name: String

    init(_ executable: String, _ arguments: [String], in keyring: PrivateKeyring) throws {
        name = ([executable] + arguments).joined(separator: " ")
        child = try keyring.start(
            executable,
            arguments,
            input: orders.fileHandleForReading.fileDescriptor,
            output: answers.fileHandleForWriting.fileDescriptor
        )
        try answers.fileHandleForWriting.close()
        lines = LineReader(answers.fileHandleForReading)
    }

    deinit { child.end() }

    /// Returns work that this process performs at the line `verb`.
    func work(_ title: String, _ verb: String) -> Work {
        Work(title) { count in
            try self.orders.fileHandleForWriting.write(contentsOf: Data("\(verb) \(count)\n".utf8))
            let answer = self.lines.next()?.split(separator: " ").compactMap { Double($0).map { $0 / 1000 } } ?? []
            guard answer.count == count else { throw Failure("\(self.name) did not do its work") }
            return answer
        }
    }
}
