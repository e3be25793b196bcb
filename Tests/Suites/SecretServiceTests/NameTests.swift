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

    @Test("A name is one owner's at a time, between connections and within one")
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
        // Nobody who gave up is still in the queue.
        try first.acquireName(name).release()
        try second.acquireName(name).release()
        #expect(try first.acquireName(name).name == name)
    }

    @Test("A waiting caller gets the name when it is released", arguments: [true, false])
    func waiterGetsReleasedName(sameConnection: Bool) throws {
        let owner = keyring.makeService()
        let queued = Recorder<Void>()
        let waiter =
            sameConnection
            ? owner
            : keyring.makeService(
                interceptor: CallInterceptor { call, proceed in
                    _ = proceed()
                    if call.member == "RequestName" { queued.record(()) }
                    return nil
                }
            )
        let owned = try owner.acquireName(name)
        let outcome = inBackground { Result { () throws(SecretServiceError) in try waiter.acquireName(name) } }
        if !sameConnection { #expect(queued.first { true } != nil) }
        owned.release()
        let result = try #require(outcome.first { _ in true })
        #expect(try result.get().name == name)
    }

    @Test("A name that was granted in time is owned, although the look took all the time of the call")
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

    @Test("Dropping the owner object frees the name")
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
        "Malformed names are refused and the connection lives",
        arguments: ["", "nodots", ":1.5", "a..b", "com.example.\0", "com.example.Lock "]
    )
    func malformedNames(bad: String) throws {
        let service = keyring.makeService()
        expectFailure(\SecretServiceError.code, .invalidArgument) { try service.acquireName(bad) }
        #expect(try service.acquireName(name).name == name)
    }

    @Test("A name is lost with the bus, and waiting for one ends")
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

    @Test("A look under a free name happens once, while the request is on its way")
    func readWithFreeName() throws {
        let calls = Recorder<String>()
        let service = keyring.makeService(
            interceptor: CallInterceptor { call, _ in
                calls.record(call.member)
                return nil
            }
        )
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

    @Test("What was seen before a turn came is thrown away")
    func readBeforeTheTurn() throws {
        let owned = try keyring.makeService().acquireName(name)
        let looks = Recorder<Void>()
        let written = Mutex("old")
        let waiter = keyring.makeService()
        let outcome = inBackground { [name] in
            Result { () throws(SecretServiceError) in
                try waiter.acquireName(name, by: .after(.seconds(10))) {
                    defer { looks.record(()) }
                    // Once the bus has answered this, it has queued us.
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

    @Test("A hanging bus costs the deadline, and a name granted too late is given up")
    func nameGrantedTooLate() throws {
        let service = keyring.makeService()
        try service.acquireName("com.example.Other").release()
        keyring.stopBus()
        let start = ContinuousClock.now
        let error = expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.milliseconds(150)))
        }
        #expect(error?.message.contains("the message bus did not answer in time") == true)
        #expect(ContinuousClock.now - start < .seconds(3))
        keyring.continueBus()
        #expect(try keyring.makeService().acquireName(name).name == name)
    }

    @Test("A hanging bus costs the time of a call, however patient the caller is")
    func hangingBusForPatientCaller() throws {
        let service = keyring.makeService(timeout: .milliseconds(300))
        try service.acquireName("com.example.Other", by: .patient).release()
        keyring.stopBus()
        let start = ContinuousClock.now
        let error = expectFailure(\SecretServiceError.code, .timedOut) {
            try service.acquireName(name, by: .after(.seconds(40)))
        }
        #expect(error?.message.contains("the message bus did not answer in time") == true)
        #expect(ContinuousClock.now - start < .seconds(30))
        keyring.continueBus()
    }

    @Test("A name that is granted is the caller's, though looking took all the time")
    func lookTakesAllTheTime() throws {
        let service = keyring.makeService()
        try service.acquireName("com.example.Other").release()
        let deadline = Deadline.after(.milliseconds(200))
        let (owned, sawEnd) = try service.acquireName(name, by: deadline) {
            // A daemon that does not answer would be waited for as long.
            while !deadline.isPast { sched_yield() }
            return true
        }
        #expect(owned.name == name && sawEnd)
        owned.release()
    }

    @Test("A wait in vain names the owner's program and process, and whether it is stopped")
    func namedOwner() throws {
        let holder = try NameHolder(on: keyring)
        #expect(holder.nextName() == name)
        let process = holder.process
        let service = keyring.makeService()
        for (state, isStopped) in [("running", false), ("stopped", true)] {
            if isStopped {
                process.signal(SIGSTOP)
                var information = unsafe siginfo_t()
                let number = id_t(process.processID)
                #expect(unsafe waitid(P_PID, number, &information, WSTOPPED | WEXITED | WNOWAIT) == 0)
            }
            let error = expectFailure(\SecretServiceError.code, .timedOut) {
                try service.acquireName(name, by: .after(.milliseconds(100)))
            }
            let text = "TestDaemon (process \(process.processID)), which is \(state), did not end"
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
            #expect(error?.remedy?.contains("kill -CONT \(process.processID)") == isStopped)
        }
        process.end()
        // One of this process's own is no other program.
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
        "A process is described by its status line, whatever its name is",
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

/// A process that asks for the name, and holds it from when the bus grants it until the process ends.
private struct NameHolder {
    let process: ChildProcess
    private let output: Output

    init(on keyring: PrivateKeyring) throws {
        output = try Output()
        process = try keyring.start(
            try BuiltProducts.executable("TestDaemon"),
            ["hold-name", name],
            output: output.writing
        )
    }

    /// Waits until it holds a name, and returns that.
    func nextName() -> String? { output.readLine() }
}
