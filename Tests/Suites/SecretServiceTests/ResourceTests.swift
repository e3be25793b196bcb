import Glibc
import SecretService
import TestSupport
import Testing

/// Tests that only subscriptions start the library's thread.
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

    @Test("Calls, names and closing start no library thread")
    func noThreads() throws {
        let names = try threads("threads")
        #expect(names.contains("BusVisitor"))
        #expect(!names.contains("desktop-support"))
    }

    @Test("A subscription starts the library thread")
    func subscriptionThread() throws {
        #expect(try threads("watch").contains("desktop-support"))
    }

    @Test("A watch reports the closing of a connection that is older than the thread")
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

    @Test("Calls whose replies are not awaited leak no descriptors")
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
        // Other tests open files in the meantime, but fewer than 50.
        #expect(try openFiles() < before + 50)
        #expect(try item.secret() == Secret("x"))
    }
}

/// Tests calls whose reply arrives after or near the deadline.
struct GivenUpCallTests {
    @Test("Abandoned calls to a stopped and a running daemon leak no descriptors")
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

    @Test("Connections that miss their deadline leak no descriptors")
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

/// Returns the number of open file descriptors of this process.
private func openFiles() throws -> Int {
    let directory = unsafe try #require(opendir("/proc/self/fd"))
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}

/// The number of connections to make; nil, without `SHAREDAUTH_SOAK`, disables the test.
private let connections = unsafe getenv("SHAREDAUTH_SOAK").flatMap { value in unsafe Int(String(cString: value)) }

struct SoakTests {
    @Test(
        "Eight processes that keep reconnecting get correct replies, and no daemon dies",
        .enabled(if: connections != nil, "set SHAREDAUTH_SOAK to the number of connections")
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
    @Test("No process survives a killed test process, not even a stopped daemon")
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

    @Test("Shutting down removes everything, and a second shutdown does nothing")
    func shutDown() throws {
        let keyring = try PrivateKeyring()
        #expect(unsafe access(keyring.directory, F_OK) == 0)
        keyring.shutdown()
        keyring.shutdown()
        #expect(unsafe access(keyring.directory, F_OK) != 0)
    }

    @Test("A process run in a keyring sees its private home and bus, and nothing else")
    func privateEnvironment() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let result = try keyring.run("/bin/sh", ["-c", "cat; env | sort; exit 7"], input: "hello\n")
        #expect(result.status == 7)
        #expect(result.standardOutput.hasPrefix("hello\n"))
        #expect(result.standardOutput.contains("HOME=\(keyring.home)\n"))
        #expect(!result.standardOutput.contains("\nDISPLAY="))
        #expect(try keyring.run("/bin/sh", ["-c", "kill -9 $$"]).status == 137)
    }

    @Test("Several keyrings are independent of each other")
    func severalKeyrings() throws {
        let keyrings = try (1...3).map { _ in try PrivateKeyring() }
        try keyrings[0].makeService().store("x", as: "one")
        for keyring in keyrings[1...] {
            #expect(try keyring.makeService().items(matching: ["test": "one"]).unlocked.isEmpty)
        }
    }
}
