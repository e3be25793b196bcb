import Dispatch
import Foundation
import Synchronization
import TestSupport

/// The lines that a peer process has written and no test has taken yet.
final class PeerInbox: Sendable {
    /// An expected line did not arrive.
    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    private struct Waiter {
        let number: Int
        let accepts: @Sendable (PeerLine) -> Bool
        let continuation: CheckedContinuation<PeerLine, any Error>
    }

    private struct State {
        var processID: Int32?
        var rest: [UInt8] = []
        var lines: [PeerLine] = []
        var waiters: [Waiter] = []
        var count = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Receives the lines of this process.
    func attach(to process: ChildProcess) { state.withLock { $0.processID = process.processID } }

    /// Returns the events of these kinds that were received and not taken.
    func events(_ kinds: Set<String>) -> [PeerLine] {
        state.withLock { $0.lines.filter { line in line.event.map(kinds.contains) ?? false } }
    }

    /// Takes the first line that is accepted, and waits for it if necessary.
    func first(_ what: String, where accepts: @escaping @Sendable (PeerLine) -> Bool) async throws -> PeerLine {
        try await withCheckedThrowingContinuation { continuation in
            enter(what, accepts, continuation)
        }
    }

    private func enter(
        _ what: String,
        _ accepts: @escaping @Sendable (PeerLine) -> Bool,
        _ continuation: CheckedContinuation<PeerLine, any Error>
    ) {
        let number: Int? = state.withLock { state in
            if let place = state.lines.firstIndex(where: accepts) {
                continuation.resume(returning: state.lines.remove(at: place))
                return nil
            }
            if state.hasEnded {
                continuation.resume(throwing: Silence(description: "the peer ended before \(what)"))
                return nil
            }
            state.count += 1
            state.waiters.append(Waiter(number: state.count, accepts: accepts, continuation: continuation))
            return state.count
        }
        guard let number else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [self] in
            let late = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            guard let late else { return }
            let stacks = state.withLock(\.processID).map(Stacks.of) ?? ""
            late.continuation.resume(
                throwing: Silence(description: "\(what) did not arrive within a minute\n\(stacks)")
            )
        }
    }

    /// The lines that were received and not taken; they stay.
    var waiting: [PeerLine] { state.withLock { $0.lines } }

    /// Takes all events that were received.
    func takeEvents() -> [PeerLine] {
        state.withLock { state in
            defer { state.lines.removeAll { $0.event != nil } }
            return state.lines.filter { $0.event != nil }
        }
    }

    /// Receives bytes; an empty array marks the end.
    func receive(_ bytes: [UInt8]) {
        state.withLock { state in
            if bytes.isEmpty {
                state.hasEnded = true
                for waiter in state.waiters {
                    waiter.continuation.resume(throwing: Silence(description: "the peer ended"))
                }
                state.waiters = []
                return
            }
            state.rest += bytes
            while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
                let text = Data(state.rest[..<end])
                state.rest.removeSubrange(...end)
                var line = PeerLine(event: "garbage")
                do { line = try JSONDecoder().decode(PeerLine.self, from: text) } catch {
                    line.message = String(decoding: text, as: UTF8.self)
                }
                if let place = state.waiters.firstIndex(where: { $0.accepts(line) }) {
                    state.waiters.remove(at: place).continuation.resume(returning: line)
                } else {
                    state.lines.append(line)
                }
            }
        }
    }
}
