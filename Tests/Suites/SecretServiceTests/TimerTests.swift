import DesktopSupport
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// The timer that the whole library uses.
struct TimerTests {
    /// Waits that end when the test says so.
    private final class Waits: Sendable {
        private let waits = Mutex<[(duration: Duration, look: @Sendable () -> Void)]>([])
        private let cancelled = Mutex(0)

        var durations: [Duration] { waits.withLock { $0.map(\.duration) } }
        var cancellations: Int { cancelled.withLock { $0 } }

        var wait: Timer.Wait {
            { [self] duration, look in
                waits.withLock { $0.append((duration, look)) }
                return { self.cancelled.withLock { $0 += 1 } }
            }
        }

        /// Ends the last wait.
        func end() { waits.withLock { $0.last }?.look() }
    }

    private let waits = Waits()

    @Test("No wait is longer than ten minutes, and the time left is asked for after each")
    func pieces() {
        let left = Recorded(Duration.seconds(1500))
        let rung = Recorded(0)
        Timer(remaining: { left.value }, waiting: waits.wait) { rung.value += 1 }
        left.value = .seconds(900)
        waits.end()
        // The clock is set ahead.
        left.value = .seconds(-5)
        waits.end()
        #expect(waits.durations == [.seconds(600), .seconds(600)])
        #expect(rung.value == 1)
        waits.end()
        #expect(rung.value == 1 && waits.durations.count == 2)
    }

    @Test("A date is met although its clock is set back, and back again")
    func clock() {
        let left = Recorded(Duration.seconds(60))
        let rung = Recorded(0)
        Timer(remaining: { left.value }, waiting: waits.wait) { rung.value += 1 }
        left.value = .seconds(7260)
        waits.end()
        left.value = .seconds(30)
        waits.end()
        left.value = .zero
        waits.end()
        #expect(waits.durations == [.seconds(60), .seconds(600), .seconds(30)])
        #expect(rung.value == 1)
    }

    @Test("A cancelled timer waits for nothing and never rings")
    func cancelled() {
        let rung = Recorded(0)
        let timer = Timer(remaining: { .seconds(1) }, waiting: waits.wait) { rung.value += 1 }
        #expect(!timer.cancel() && waits.cancellations == 1)
        #expect(!timer.cancel())
        waits.end()
        timer.fire()
        #expect(rung.value == 0 && waits.durations.count == 1)
    }

    @Test("A timer that has rung says so when it is cancelled")
    func rung() {
        let left = Recorded(Duration.seconds(1))
        let timer = Timer(remaining: { left.value }, waiting: waits.wait) {}
        left.value = .zero
        waits.end()
        #expect(timer.cancel())
        let fired = Timer(remaining: { .seconds(1) }, waiting: waits.wait) {}
        fired.fire()
        #expect(fired.cancel())
    }

    @Test("Timers ring in the order of their times, on one thread")
    func order() async {
        let (stream, rings) = AsyncStream.makeStream(of: Int.self)
        for delay in [30, 10, 20] { Timer(after: .milliseconds(delay)) { rings.yield(delay) } }
        let stopped = Timer(after: .milliseconds(15)) { rings.yield(15) }
        #expect(!stopped.cancel())
        var iterator = stream.makeAsyncIterator()
        for delay in [10, 20, 30] { #expect(await iterator.next() == delay) }
    }

    @Test("A deadline interrupts work that blocks, and so does its cancellation")
    func interrupted() {
        for isCancelled in [false, true] {
            let (state, cancellation) = (Monitor(false), Cancellation())
            let deadline = Deadline.after(isCancelled ? .seconds(3600) : .milliseconds(10), cancelledBy: cancellation)
            if isCancelled { startThread(named: "canceller") { cancellation.cancel() } }
            let (isWoken, isInterrupted) = deadline.interrupting(by: { state.update { $0 = true } }) {
                state.wait(until: .after(.seconds(60))) { $0 ? true : nil }
            }
            #expect(isWoken == true && isInterrupted)
        }
        #expect(Deadline.after(.seconds(60)).interrupting(by: {}) { 7 } == (7, false))
    }

    @Test("The kernel's timer cannot be set, and continues during suspend")
    func kernel() async {
        await #expect(processExitsWith: .success) {
            Timer(after: .seconds(1_000_000)) {}
            let armed = try armedTimers()
            #expect(armed.map(\.clock) == [7], "not CLOCK_BOOTTIME")
            #expect(armed.allSatisfy { (590...600).contains($0.seconds) }, "\(armed)")
        }
    }

    @Test("Timers ring in a forked child, and it leaves those of its parent alone")
    func forked() async {
        await #expect(processExitsWith: .success) {
            inherited.value = Timer(after: .seconds(1_000_000)) {}
            let result = ForkedChild.result {
                inherited.value?.cancel()
                let isRung = Monitor(false)
                Timer(after: .milliseconds(10)) { isRung.update { $0 = true } }
                return isRung.wait(until: .after(.seconds(20))) { $0 ? 0 : nil } ?? 1
            }
            #expect(result == 0)
            let armed = try armedTimers()
            #expect(armed.count == 1 && armed.allSatisfy { (500...600).contains($0.seconds) }, "\(armed)")
        }
    }
}

/// The timer that a child inherits from its parent.
private let inherited = Recorded<Timer?>(nil)

/// A value that another thread may change.
private final class Recorded<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Returns the timers of this process that the kernel has armed: their clocks, and the seconds until they are due.
private func armedTimers() throws -> [(clock: Int32, seconds: Int)] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").compactMap { name in
        guard let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8),
            let clock = text.firstMatch(of: /clockid: (\d+)/).flatMap({ Int32($0.1) }),
            let seconds = text.firstMatch(of: /it_value: \((\d+),/).flatMap({ Int($0.1) }), seconds > 0
        else { return nil }
        return (clock, seconds)
    }
}
