import FoundationEssentials
import Synchronization
import Testing

@testable import SharedAuth

struct MailboxTests {
    @Test("Waiting calls wake each loop once, and once more for calls posted during a visit")
    func wakeUps() {
        let loops = [ManualLoop(), ManualLoop()]
        let mailbox = Mailbox(loops: loops.map(\.loop))
        let made = Log()
        for number in 0..<1000 { mailbox.post(Mailbox.Call(listener: nil) { _ in made.add(number) }) }
        #expect(loops.map(\.wakeUps) == [1, 1])
        #expect(made.numbers == [])
        mailbox.post(
            Mailbox.Call(listener: nil) { _ in
                made.add(1000)
                mailbox.post(Mailbox.Call(listener: nil) { _ in made.add(1001) })
                // The other loop, or a loop nested in this call, makes no call meanwhile.
                loops[1].run()
                made.add(-1)
            }
        )
        loops[0].run()
        #expect(made.numbers == Array(0...1000) + [-1])
        #expect(loops.map(\.wakeUps) == [2, 2])
        loops[1].run()
        #expect(made.numbers == Array(0...1000) + [-1, 1001])
        loops[0].run()
        #expect(made.numbers.count == 1003)
        #expect(loops.map(\.wakeUps) == [2, 2])
    }

    @Test("Until a loop runs, only a listener's latest calls are kept, but all completions")
    func bounded() {
        let loop = ManualLoop()
        let announcer = Announcer(executor: ListenerExecutor(loops: [loop.loop]))
        let (uids, completions) = (Log(), Log())
        announcer.add(Listener(.idToken, .executor { user in uids.add(user.flatMap { Int($0.uid) } ?? -1) }))
        for number in 0..<100_000 {
            announcer.announce(.numbered(number))
            if number % 1000 == 0 { announcer.deliver(.executor { completions.add(number) }) }
        }
        #expect(loop.wakeUps == 1)
        loop.run()
        #expect(uids.numbers == Array(99_900..<100_000))
        #expect(completions.numbers == (0..<100).map { $0 * 1000 })
    }

    @Test("Once a loop has run, no call is dropped, however late it is")
    func served() {
        let loop = ManualLoop()
        let announcer = Announcer(executor: ListenerExecutor(loops: [loop.loop]))
        let uids = Log()
        announcer.add(Listener(.idToken, .executor { user in uids.add(user.flatMap { Int($0.uid) } ?? -1) }))
        announcer.announce(nil)
        loop.run()
        for number in 0..<100_000 { announcer.announce(.numbered(number)) }
        loop.run()
        #expect(uids.numbers == [-1] + Array(0..<100_000))
    }

    @Test("Calls of a removed listener are not kept")
    func removed() {
        let loop = ManualLoop()
        let mailbox = Mailbox(loops: [loop.loop])
        let kept = Listener(.idToken, .executor { _ in })
        let made = Log()
        for number in 0..<1000 {
            let listener = Listener(.idToken, .executor { _ in })
            mailbox.post(Mailbox.Call(listener: listener) { _ in made.add(-1) })
            mailbox.post(Mailbox.Call(listener: kept) { _ in made.add(number) })
            mailbox.discard(listener)
        }
        #expect(mailbox.count == 100)
        loop.run()
        #expect(made.numbers == Array(900..<1000))
    }

    @Test("A main-actor listener is called in order, whether visits run on the actor or not")
    func mainActor() async {
        let loop = ManualLoop()
        let announcer = Announcer(executor: ListenerExecutor(loops: [loop.loop]))
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        announcer.add(
            Listener(
                .idToken,
                .mainActor { user in
                    MainActor.preconditionIsolated()
                    continuation.yield(user.flatMap { Int($0.uid) } ?? -1)
                }
            )
        )
        let visits = Task { @MainActor in
            for number in 0..<500 {
                announcer.announce(.numbered(number))
                if number.isMultiple(of: 3) { loop.run(onMainActor: true) } else { loop.run(onMainActor: false) }
                if number.isMultiple(of: 50) { await Task.yield() }
            }
        }
        await visits.value
        var numbers: [Int] = []
        for await number in stream {
            numbers.append(number)
            if numbers.count == 500 { break }
        }
        #expect(numbers == Array(0..<500))
    }
}

/// A loop that runs when the test calls it.
private final class ManualLoop: Sendable {
    private struct State {
        var visits: [@Sendable (Bool) -> Void] = []
        var wakeUps = 0
    }

    private let state = Mutex(State())

    var wakeUps: Int { state.withLock { $0.wakeUps } }

    var loop: EventLoop {
        EventLoop(
            wake: { [self] visit in
                state.withLock { state in
                    state.visits.append(visit)
                    state.wakeUps += 1
                }
            },
            mayNeverRun: true
        )
    }

    func run(onMainActor: Bool = false) {
        let visits = state.withLock { state in
            defer { state.visits = [] }
            return state.visits
        }
        for visit in visits { visit(onMainActor) }
    }
}

/// Numbers in the order they arrived.
private final class Log: Sendable {
    private let state = Mutex<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
}

extension User {
    fileprivate static func numbered(_ number: Int) -> User {
        User(
            Account(
                profile: UserProfile(uid: "\(number)"),
                tokens: UserTokens(idToken: "\(number)", refreshToken: "r", expirationDate: .distantFuture),
                project: "test"
            ),
            auth: nil,
            slot: nil
        )
    }
}
