import CGLibSecret
import Dispatch
import Glibc
import SharedAuth
import TestSupport

/// Programs that run a main loop, GLib's or another, on the main thread, and with it the main queue.
enum ServedMainQueue: String {
    /// Work sent to the main queue and the main actor in each possible way.
    case jobs = "served-jobs"
    /// Many blocks from another thread.
    case order = "served-order"
    /// A sequence that is read on the main actor.
    case sequence = "served-sequence"
    /// Listeners that two loops call, both run by the main thread.
    case listeners = "served-listeners"
    /// A loop with nothing to do.
    case idle = "served-idle"
    /// A second call, for another context.
    case twice = "served-twice"
    /// The call made on a thread other than the main one.
    case elsewhere = "served-elsewhere"
    /// The context iterated on a thread other than the main one.
    case iteratedElsewhere = "served-iterated-elsewhere"

    func run(stateDirectory: String, in loop: MainLoop) throws {
        // If nothing runs the main queue, the program would not end.
        alarm(60)
        if self != .elsewhere { MainContext.default.serveMainQueue() }
        switch self {
        case .jobs: runJobs()
        case .order: runBlocks()
        case .sequence: followSequence(try Self.configure(stateDirectory))
        case .listeners: followListeners(try Self.configure(stateDirectory))
        case .idle: countWakeUps(of: loop)
        case .twice: serveAnotherContext()
        case .elsewhere: DispatchQueue.global().async { MainContext.default.serveMainQueue() }
        case .iteratedElsewhere: iterateElsewhere()
        }
        loop.run()
    }

    private func runJobs() {
        DispatchQueue.main.async { Self.report("block") }
        Task { @MainActor in
            Self.report("job")
            await Task.detached { Self.report("detached job") }.value
            Self.report("after another job")
            try await Task.sleep(for: .milliseconds(1))
            Self.report("after a sleep")
            Self.leave()
        }
    }

    private func runBlocks() {
        let numbers = 0..<100_000
        let record = Recorder<Int>()
        DispatchQueue.global().async {
            for number in numbers { DispatchQueue.main.async { record.record(number) } }
            DispatchQueue.main.async {
                Self.report("in order \(record.events == Array(numbers))")
                Self.leave()
            }
        }
    }

    private func followSequence(_ app: (auth: Auth, identity: ScriptedIdentity)) {
        Task { @MainActor in
            for await user in app.auth.authStateChanges {
                Self.report(user?.uid ?? "no user")
                switch user?.uid {
                case nil: try await Self.signIn("x", app)
                case "x": try await Self.signIn("y", app)
                default: Self.leave()
                }
            }
        }
    }

    private func followListeners(_ app: (auth: Auth, identity: ScriptedIdentity)) {
        let record = CallRecord()
        _ = app.auth.addStateDidChangeListener { _, user in record.add(user) }
        Task.detached {
            await record.wait(for: 1)
            for index in 0..<2000 { try await Self.signIn("\(index)", app) }
            await record.wait(for: 2001)
            print("in order", record.uids == ["nil"] + (0..<2000).map { "\($0)" })
            Self.leave()
        }
    }

    /// After a block has run, the loop has nothing to do, however often it iterates.
    private func countWakeUps(of loop: MainLoop) {
        let record = Recorder<Int>()
        DispatchQueue.main.async { record.record(1) }
        while record.events.isEmpty { _ = loop.iterate(true) }
        let wakeUps = (0..<1000).count { _ in loop.iterate(false) }
        print("wake-ups \(wakeUps)")
        Self.leave()
    }

    /// The block is pending before the other context iterates, and the main loop runs it afterwards.
    private func serveAnotherContext() {
        let other = unsafe g_main_context_new()!
        unsafe MainContext(UnsafeMutableRawPointer(other)).serveMainQueue()
        DispatchQueue.main.async {
            Self.report("block")
            Self.leave()
        }
        print("the other context had work:", unsafe g_main_context_iteration(other, 0) != 0)
    }

    private func iterateElsewhere() {
        DispatchQueue.main.async {
            Self.report("block")
            Self.leave()
        }
        DispatchQueue.global().async { MainLoop.glib.run() }
        // Only a signal ends the pause.
        pause()
    }

    private static func configure(_ stateDirectory: String) throws -> (auth: Auth, identity: ScriptedIdentity) {
        let identity = ScriptedIdentity()
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Deliveries",
                identityProvider: identity.source,
                store: .inMemory(),
                stateDirectory: stateDirectory
            )
        )
        return (Auth.auth(), identity)
    }

    private static func signIn(_ uid: String, _ app: (auth: Auth, identity: ScriptedIdentity)) async throws {
        app.identity.expect(.scripted(uid))
        try await app.auth.signIn(withEmail: "a@example.com", password: "password")
    }

    private static func report(_ what: String) {
        print(what, gettid() == getpid() ? "on the main thread" : "elsewhere")
    }

    private static func leave() {
        fflush(nil)
        exit(0)
    }
}
