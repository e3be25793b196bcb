import Dispatch
import FoundationEssentials
import SecretService
import Synchronization
import Testing

@testable import SharedAuth

struct LockTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID())").path

    @Test("Turns of one name exclude each other, and each comes", arguments: ["threads", "file"])
    func exclusion(kind: String) async throws {
        let threads = NamedTurns()
        let files = FileLock(directory: directory)
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        DispatchQueue(label: "worker").async {
                            for _ in 0..<25 {
                                let deadline = Deadline.after(.seconds(20))
                                let turn: any Turn
                                do {
                                    turn =
                                        kind == "file"
                                        ? try files.acquire("x", within: deadline).turn
                                        : try threads.take("x", within: deadline)
                                } catch {
                                    Issue.record(error)
                                    break
                                }
                                tally.enter()
                                tally.leave()
                                turn.end()
                            }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(tally.most == 1)
        #expect(tally.total == 200)
    }

    @Test("A turn that does not come in time is an error, and harms no later one")
    func timeout() throws {
        let files = FileLock(directory: directory)
        let other = FileLock(directory: directory)
        let held = try files.acquire("x", within: .after(.seconds(1)))
        #expect(throws: RecordStoreError.self) {
            _ = try other.acquire("x", within: .after(.milliseconds(30)))
        }
        held.turn.end()
        try other.acquire("x", within: .after(.seconds(5))).turn.end()
    }

    @Test("Two locks on one directory exclude each other as two processes would")
    func twoOwners() throws {
        let (one, two) = (FileLock(directory: directory), FileLock(directory: directory))
        let held = try one.acquire("x", within: .after(.seconds(1)))
        let waiting = DispatchSemaphore(value: 0)
        let order = Order()
        DispatchQueue.global().async {
            let hold = try? two.acquire("x", within: .after(.seconds(10)))
            order.append("two")
            hold?.turn.end()
            waiting.signal()
        }
        order.append("one")
        held.turn.end()
        #expect(waiting.wait(timeout: .now() + 10) == .success)
        #expect(order.names == ["one", "two"])
    }
}

/// Counts who is inside.
private final class Tally: Sendable {
    private let state = Mutex((now: 0, most: 0, total: 0))

    var most: Int { state.withLock { $0.most } }
    var total: Int { state.withLock { $0.total } }

    func enter() {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
            $0.total += 1
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}

/// Notes who came when.
private final class Order: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock { $0 } }

    func append(_ name: String) { state.withLock { $0.append(name) } }
}
