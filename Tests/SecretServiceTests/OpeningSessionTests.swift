import Glibc
import SecretService
import TestSupport
import Testing

/// A daemon may die of a client that leaves while its session is being opened.
struct OpeningSessionTests {
    private let nowhere = "/org/freedesktop/secrets/collection/scripted/1"

    @Test func `The connection of an impatient caller stays until its session is open`() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:300", "fragile")
        let other = daemon.makeService()
        let before = try other.provider()
        do {
            let service = daemon.makeService(timeout: .milliseconds(50))
            #expect(try code { _ = try service.item(at: nowhere).secret() } == .timedOut)
        }
        // This session is opened after the former one.
        #expect(try code { _ = try other.item(at: nowhere).secret() } == .noSuchItem)
        #expect(try other.provider() == before)
    }

    @Test func `A session that came too late for one caller serves the next`() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:300", "fragile")
        let service = daemon.makeService()
        let item = service.item(at: nowhere)
        #expect(try code { _ = try item.secret(by: .after(.milliseconds(50))) } == .timedOut)
        // No other session will be opened.
        try daemon.tell("silent=OpenSession")
        #expect(try code { _ = try item.secret(by: .after(.milliseconds(50))) } == .timedOut)
        #expect(try code { _ = try item.secret() } == .noSuchItem)
    }

    @Test func `A process that ends waits for its session, and no longer than a second`() throws {
        for (delay, isAwaited) in [(400, true), (20_000, false)] {
            let daemon = try ScriptedDaemon("slow=OpenSession:\(delay)", "fragile")
            let output = try Output()
            let start = ContinuousClock.now
            let visitor = try daemon.keyring.start(
                try BuiltProducts.executable("BusVisitor"),
                ["leave", nowhere],
                output: output.writing
            )
            #expect(output.readLine() == "left")
            #expect(visitor.wait() == 0)
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < .seconds(5))
            let service = daemon.makeService()
            if isAwaited {
                #expect(elapsed >= .milliseconds(400))
                #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
            } else {
                #expect(elapsed >= .seconds(1))
            }
        }
    }

    @Test func `Nothing but reading and writing secrets opens a session`() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let item = try daemon.makeService().store("x", as: "one")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let same = service.item(at: item.path)
        let watch = try service.watch { _ in }
        _ = try service.items(matching: ["test": "one"])
        _ = try service.collections()
        _ = try service.defaultCollection().isLocked()
        _ = try same.attributes()
        _ = try same.label()
        _ = try service.attributes(of: [same], by: .after(.seconds(10))) {}
        _ = try service.secrets(of: [])
        _ = try service.provider()
        try service.acquireName("com.example.Other").release()
        try service.unlock([same])
        let refused = try code {
            _ = try same.collection.createItem(
                label: "x",
                attributes: ["test": "one"],
                secret: Secret("y"),
                contentType: "a\0b"
            )
        }
        #expect(refused == .invalidArgument)
        try same.delete()
        watch.cancel()
        #expect(!calls.events.contains("OpenSession"))
    }
}
