import Glibc
import SecretService
import TestSupport
import Testing

/// The library's thread is for subscriptions.
struct ThreadlessTests {
    private func threads(_ arguments: String...) throws -> [Substring] {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        let output = try Output()
        let visitor = try keyring.start(
            try BuiltProducts.executable("BusVisitor"),
            arguments + [path],
            output: output.writing
        )
        let names = output.readLine().split(separator: " ")
        #expect(visitor.wait() == 0)
        return names
    }

    @Test("Calls, names and closing take no thread of the library's")
    func noThreads() throws {
        let names = try threads("threads")
        #expect(names.contains("BusVisitor"))
        #expect(!names.contains("desktop-support"))
    }

    @Test("A subscription does")
    func subscriptionThread() throws {
        #expect(try threads("watch").contains("desktop-support"))
    }

    @Test("A watch hears of the end of a connection that was made before there was a thread")
    func watchOfOlderConnection() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        _ = try service.collections()
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        keyring.killBus()
        #expect(events.first { $0 == .busClosed } != nil)
        watch.cancel()
    }

    @Test("Calls that are not awaited to the end leave nothing open")
    func abandonedQuestions() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let before = try openFiles()
        for _ in 1...50 {
            let error = try #require(throws: SecretServiceError.self) {
                _ = try service.attributes(of: [item, item, item], by: .after(.seconds(10))) {
                    () throws(SecretServiceError) in throw SecretServiceError(code: .dismissed, message: "enough")
                }
            }
            #expect(error.message == "enough")
        }
        // Other tests open files meanwhile, but not so many.
        #expect(try openFiles() < before + 50)
        #expect(try item.secret() == Secret("x"))
    }
}

/// Calls whose answer comes too late, or just then.
struct GivenUpCallTests {
    @Test("Abandoned calls, to a stopped and a running daemon, leave no descriptor")
    func descriptors() throws {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        let output = try Output()
        let input = try SocketPair()
        let visitor = try keyring.start(
            try BuiltProducts.executable("BusVisitor"),
            ["give-up", path],
            input: input.theirs,
            output: output.writing
        )
        close(input.theirs)
        defer { close(input.ours) }
        let before = output.readLine()
        keyring.stopDaemon()
        proceed(input)
        #expect(output.readLine() == "given up")
        keyring.continueDaemon()
        proceed(input)
        #expect(output.readLine() == before)
        #expect(visitor.wait() == 0)
    }

    @Test("Connections that miss their deadline leave no descriptor behind")
    func lateConnections() throws {
        let keyring = try PrivateKeyring()
        let output = try Output()
        let visitor = try keyring.start(
            try BuiltProducts.executable("BusVisitor"),
            ["connect-late"],
            output: output.writing
        )
        #expect(output.readLine() == "0")
        #expect(visitor.wait() == 0)
    }

    private func proceed(_ input: SocketPair) {
        _ = unsafe send(input.ours, "\n", 1, Int32(MSG_NOSIGNAL))
    }
}

/// How many file descriptors this process has.
private func openFiles() throws -> Int {
    let directory = unsafe try #require(opendir("/proc/self/fd"))
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}

/// How many connections to make; without `SHAREDAUTH_SOAK` the test is not run.
private let connections = unsafe getenv("SHAREDAUTH_SOAK").flatMap { value in unsafe Int(String(cString: value)) }

struct SoakTests {
    @Test(
        "Eight processes that keep reconnecting get right answers, and no daemon dies",
        .enabled(if: connections != nil, "SHAREDAUTH_SOAK says how many connections")
    )
    func connectionsComeAndGo() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let path = try service.store("x", as: "soak").path
        let before = try service.daemon()
        let program = try BuiltProducts.executable("BusVisitor")
        let each = max(1, (connections ?? 0) / 8)
        let start = ContinuousClock.now
        let visitors = try (1...8).map { _ in
            let output = try Output()
            return (try keyring.start(program, ["visit", "\(each)", path], output: output.writing), output)
        }
        var total: [Substring: Int] = [:]
        for (process, output) in visitors {
            let line = output.readLine()
            #expect(process.wait() == 0)
            for outcome in line.split(separator: " ") {
                let parts = outcome.split(separator: ":")
                total[parts[0], default: 0] += Int(parts[1]) ?? 0
            }
        }
        print("\(each * 8) connections in \(ContinuousClock.now - start): \(total)")
        #expect(total.values.reduce(0, +) == each * 8)
        #expect(Set(total.keys) == ["search=found", "read=right", "hurry"])
        #expect(try service.daemon() == before)
    }
}

struct PrivateKeyringTests {
    @Test("Nothing outlives a test process that is killed, not even a stopped daemon")
    func nothingOutlivesTheTest() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let output = try Output()
        let holder = try keyring.start(
            try BuiltProducts.executable("TestDaemon"),
            ["hold-keyring"],
            output: output.writing
        )
        let service = SecretService(.init(busAddress: .address(output.readLine()), timeout: .seconds(10)))
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        holder.end()
        #expect(events.first { $0 == .busClosed } != nil)
        watch.cancel()
    }

    @Test("Shutting down removes everything, twice is once")
    func shutDown() throws {
        let keyring = try PrivateKeyring()
        #expect(unsafe access(keyring.directory, F_OK) == 0)
        keyring.shutdown()
        keyring.shutdown()
        #expect(unsafe access(keyring.directory, F_OK) != 0)
    }

    @Test("A process inside sees the private home and bus, and nothing else")
    func privateEnvironment() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let result = try keyring.run("/bin/sh", ["-c", "cat; env | sort; exit 7"], input: "hello\n")
        #expect(result.status == 7)
        #expect(result.standardOutput.hasPrefix("hello\n"))
        #expect(result.standardOutput.contains("HOME=\(keyring.home)\n"))
        #expect(!result.standardOutput.contains("\nDISPLAY="))
        #expect(try keyring.run("/bin/sh", ["-c", "kill -9 $$"]).status == 137)
    }

    @Test("Several keyrings know nothing of each other")
    func severalKeyrings() throws {
        let keyrings = try (1...3).map { _ in try PrivateKeyring() }
        try keyrings[0].makeService().store("x", as: "one")
        for keyring in keyrings[1...] {
            #expect(try keyring.makeService().items(matching: ["test": "one"]).unlocked.isEmpty)
        }
    }
}
