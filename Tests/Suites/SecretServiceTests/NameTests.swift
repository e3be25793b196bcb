import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DesktopSupport
@testable import SecretService

private let name = "com.example.Lock"

struct NameTests {
    let keyring: PrivateKeyring

    init() throws {
        keyring = try PrivateKeyring(state: .noDaemon)
    }

    @Test("A name has one owner at a time, between connections and within one")
    func oneOwnerAtATime() throws {
        let first = keyring.makeService()
        let second = keyring.makeService()
        let owned = try first.acquireName(name)
        #expect(owned.name == name)
        for contender in [first, second] {
            let error = try #require(throws: SecretServiceError.self) {
                _ = try contender.acquireName(name, by: .after(.milliseconds(100)))
            }
            #expect(error.code == .timedOut)
        }
        owned.release()
        owned.release()
        // Callers that gave up are no longer in the queue.
        try first.acquireName(name).release()
        try second.acquireName(name).release()
        #expect(try first.acquireName(name).name == name)
    }

    @Test("A caller learns that it waits, and gets the name when it is released", arguments: [true, false])
    func waiterGetsReleasedName(sameConnection: Bool) throws {
        let owner = keyring.makeService()
        let waiter = sameConnection ? owner : keyring.makeService()
        let queued = Recorder<Void>()
        let owned = try owner.acquireName(name, by: .patient, queued: { queued.record(()) }) {}.name
        #expect(queued.events.isEmpty)
        let outcome = inBackground {
            Result { () throws(SecretServiceError) in
                try waiter.acquireName(name, by: .patient, queued: { queued.record(()) }) {}.name
            }
        }
        #expect(queued.first { true } != nil)
        owned.release()
        let result = try #require(outcome.first { _ in true })
        #expect(try result.get().name == name)
    }

    @Test("A name granted in time is owned even if the closure ran until the deadline")
    func lateLook() throws {
        let service = keyring.makeService()
        let deadline = Deadline.after(.milliseconds(200))
        let owned = try service.acquireName(name, by: deadline) {
            Monitor(false).wait(until: deadline) { $0 ? () : nil }
            return "seen"
        }
        #expect(owned.seen == "seen" && owned.name.name == name)
        let error = try #require(throws: SecretServiceError.self) {
            _ = try keyring.makeService().acquireName(name, by: .after(.milliseconds(100)))
        }
        #expect(error.code == .timedOut)
    }

    @Test("Releasing the owner object frees the name")
    func droppedOwner() throws {
        let owner = keyring.makeService()
        _ = try owner.acquireName(name)
        #expect(try keyring.makeService().acquireName(name).name == name)
    }

    @Test("A process killed with SIGKILL frees its name for the next in the queue")
    func killedOwner() throws {
        let holder = try NameHolder(on: keyring)
        #expect(holder.nextName() == name)
        let service = keyring.makeService()
        expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.milliseconds(100)))
        }
        let outcome = inBackground { Result { () throws(SecretServiceError) in try service.acquireName(name) } }
        holder.process.end()
        let result = try #require(outcome.first { _ in true })
        #expect(try result.get().name == name)
    }

    @Test("A released connection ends on the bus although a forked child has its socket")
    func forkedChild() throws {
        var connection: BusConnection? = try .open(keyring.busAddress, by: .patient)
        let name = try #require(connection?.uniqueName)
        let observer = try BusConnection.open(keyring.busAddress, by: .patient)
        let events = Recorder<BusEvent>()
        let subscription = observer.subscribe(to: [.owner(of: name)], by: .patient, events.record)
        let child = try ForkedChild()
        connection = nil
        #expect(events.first { if case .signal = $0 { true } else { false } } != nil)
        withExtendedLifetime((child, subscription, connection)) {}
    }

    @Test("What a connection has sent arrives although the connection is released at once")
    func releasedWithQueue() throws {
        var sender: BusConnection? = try .open(keyring.busAddress, by: .patient)
        let receiver = try BusConnection.open(keyring.busAddress, by: .patient)
        let events = Recorder<BusEvent>()
        let object = (path: "/com/example", interface: "com.example.Test")
        let rule = SignalRule(sender: nil, interface: object.interface)
        let subscription = receiver.subscribe(to: [rule], by: .patient, events.record)
        let arguments = Variant.tuple(.string(String(repeating: "x", count: 100_000)))
        for _ in 1...50 { #expect(sender?.emit("Said", arguments, to: receiver.uniqueName, object) == true) }
        sender = nil
        for _ in 1...50 { _ = try #require(events.take { if case .signal = $0 { true } else { false } }) }
        withExtendedLifetime((subscription, sender)) {}
    }

    @Test("If a child has inherited the name of a killed process, a timed-out wait says so")
    func inheritedName() throws {
        let holder = try NameHolder(on: keyring, as: "fork-holding-name")
        #expect(holder.nextName() == name)
        let child = try #require(holder.nextName().flatMap { Int32($0) })
        holder.process.end()
        let service = keyring.makeService()
        let error = expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.milliseconds(100)))
        }
        let parent = "process \(holder.process.processID)"
        #expect(error?.message.hasPrefix("A child of \(parent), which has ended, did not end") == true)
        #expect(error?.remedy?.contains(parent) == true)
        kill(child, SIGKILL)
        #expect(try service.acquireName(name).name == name)
    }

    @Test("Two processes queue for one name")
    func twoProcessesQueue() throws {
        let first = try NameHolder(on: keyring)
        #expect(first.nextName() == name)
        let second = try NameHolder(on: keyring)
        first.process.end()
        #expect(second.nextName() == name)
        second.process.end()
    }

    @Test("The bus can refuse a name")
    func refusedName() throws {
        let service = keyring.makeService()
        let error = try #require(throws: SecretServiceError.self) { _ = try service.acquireName("denied.example.Lock") }
        #expect(error.code == .denied)
    }

    @Test(
        "Malformed names are refused and the connection stays open",
        arguments: ["", "nodots", ":1.5", "a..b", "com.example.\0", "com.example.Lock "]
    )
    func malformedNames(bad: String) throws {
        let service = keyring.makeService()
        expectFailure(\SecretServiceError.code, .invalidArgument) { try service.acquireName(bad) }
        #expect(try service.acquireName(name).name == name)
    }

    @Test("A name is lost with the bus, and a wait for it ends")
    func nameGoesWithTheBus() throws {
        let owner = keyring.makeService()
        let owned = try owner.acquireName(name)
        let queued = Recorder<Void>()
        let waiter = keyring.makeService(
            interceptor: CallInterceptor { call, proceed in
                _ = proceed()
                if call.member == "GetNameOwner" { queued.record(()) }
                return nil
            }
        )
        let outcome = inBackground { Result { () throws(SecretServiceError) in try waiter.acquireName(name) } }
        #expect(queued.first { true } != nil)
        let events = Recorder<SecretServiceChange>()
        let watch = try owner.watch(events.record)
        keyring.killBus()
        guard case .failure(let error) = try #require(outcome.first { _ in true }) else {
            throw PrivateKeyringFailure()
        }
        #expect(error.code == .busClosed)
        #expect(events.first { $0 == .busClosed } != nil)
        owned.release()
        watch.cancel()
    }

    @Test("For a free name, the closure runs once, while the request is pending")
    func readWithFreeName() throws {
        let calls = Recorder<String>()
        let service = keyring.makeService(interceptor: .recording(calls))
        let (owned, seen) = try service.acquireName(name, by: .after(.seconds(10))) {
            calls.record("look")
            return Result { () throws(SecretServiceError) in try service.acquireName("com.example.Other") }
        }
        #expect(owned.name == name)
        #expect(try seen.get().name == "com.example.Other")
        #expect(calls.events.filter { $0 != "ReleaseName" } == ["RequestName", "look", "RequestName"])
        expectFailure(\SecretServiceError.code, .timedOut) {
            try keyring.makeService().acquireName(name, by: .after(.zero))
        }
    }

    @Test("A value read before the name is granted is discarded and read again")
    func readBeforeTheTurn() throws {
        let owned = try keyring.makeService().acquireName(name)
        let looks = Recorder<Void>()
        let written = Mutex("old")
        let waiter = keyring.makeService()
        let outcome = inBackground { [name] in
            Result { () throws(SecretServiceError) in
                try waiter.acquireName(name, by: .after(.seconds(10))) {
                    defer { looks.record(()) }
                    // When the bus has replied to this call, it has queued the name request.
                    _ = try? waiter.collections()
                    return written.withLock { $0 }
                }.seen
            }
        }
        #expect(looks.first { true } != nil)
        written.withLock { $0 = "new" }
        owned.release()
        #expect(try #require(outcome.first { _ in true }).get() == "new")
        #expect(looks.events.count == 2)
    }

    @Test("A name request to a hung bus ends at the deadline, and a late grant is released")
    func nameGrantedTooLate() throws {
        let service = keyring.makeService()
        try service.acquireName("com.example.Other").release()
        keyring.stopBus()
        let start = ContinuousClock.now
        let error = expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.milliseconds(150)))
        }
        #expect(error?.message.contains("the message bus did not answer in time") == true)
        #expect(ContinuousClock.now - start < .hang)
        keyring.continueBus()
        #expect(try keyring.makeService().acquireName(name).name == name)
    }

    @Test("A name request to a hung bus ends at the call timeout, before a later deadline")
    func hangingBusForPatientCaller() throws {
        let service = keyring.makeService(timeout: .milliseconds(300))
        try service.acquireName("com.example.Other", by: .patient).release()
        keyring.stopBus()
        let start = ContinuousClock.now
        let error = expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.seconds(40)))
        }
        #expect(error?.message.contains("the message bus did not answer in time") == true)
        #expect(ContinuousClock.now - start < .hang)
        keyring.continueBus()
    }

    @Test("A granted name is owned even if the closure blocks until the deadline")
    func lookTakesAllTheTime() throws {
        let service = keyring.makeService()
        try service.acquireName("com.example.Other").release()
        let deadline = Deadline.after(.milliseconds(200))
        let (owned, sawEnd) = try service.acquireName(name, by: deadline) {
            // A wait for a hung daemon would take as long.
            while !deadline.isPast { sched_yield() }
            return true
        }
        #expect(owned.name == name && sawEnd)
        owned.release()
    }

    @Test("A timed-out wait names the owner's program and process, and if it is stopped")
    func namedOwner() throws {
        let holder = try NameHolder(on: keyring)
        #expect(holder.nextName() == name)
        let process = holder.process
        let service = keyring.makeService()
        for (state, isStopped) in [("running", false), ("stopped", true)] {
            if isStopped { #expect(process.stop()) }
            let error = expectFailure(\SecretServiceError.code, .timedOut) {
                try service.acquireName(name, by: .after(.milliseconds(100)))
            }
            let text = "TestDaemon (process \(process.processID)), which is \(state), did not end"
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
            #expect(error?.remedy?.contains("kill -CONT \(process.processID)") == isStopped)
        }
        process.end()
        // If this process owns the name, the error does not name another program.
        let owned = try service.acquireName(name)
        for contender in [service, keyring.makeService()] {
            let error = expectFailure(\SecretServiceError.code, .timedOut) {
                try contender.acquireName(name, by: .after(.milliseconds(100)))
            }
            #expect(error?.message.hasPrefix("Another call of this process did not end") == true)
        }
        owned.release()
    }

    @Test(
        "The status line of a process is parsed for any process name",
        arguments: [
            ("4711 (sleep) S 1 2", "sleep", "S"), ("1 (a) b) (c) T 1", "a) b) (c", "T"), ("1 () R 1", "", "R"),
        ]
    )
    func statusLine(line: String, name: String, state: String) throws {
        let fields = try #require(HoldingProcess.fields(ofStatus: line))
        #expect(fields.name == name && String(fields.state) == state)
        for broken in ["", "4711", "4711 (sleep", "4711 (sleep)"] {
            #expect(HoldingProcess.fields(ofStatus: broken) == nil)
        }
    }
}

/// A process that requests the name and holds it, once granted, until the process ends.
private struct NameHolder {
    let process: ChildProcess
    private let output: Output

    init(on keyring: PrivateKeyring, as verb: String = "hold-name") throws {
        output = try Output()
        process = try keyring.start(
            try BuiltProducts.executable("TestDaemon"),
            [verb, name],
            output: output.writing
        )
    }

    /// Waits until the process holds a name, and returns the name.
    func nextName() -> String? { output.readLine() }
}
