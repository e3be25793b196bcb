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

    @Test func `Calls, names and closing take no thread of the library's`() throws {
        let names = try threads("threads")
        #expect(names.contains("BusVisitor"))
        #expect(!names.contains("secret-service"))
    }

    @Test func `A subscription does`() throws {
        #expect(try threads("watch").contains("secret-service"))
    }

    @Test func `A watch hears of the end of a connection that was made before there was a thread`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        _ = try service.collections()
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        keyring.killBus()
        #expect(events.first { $0 == .busClosed } != nil)
        watch.cancel()
    }

    @Test func `Questions that nobody awaits to the end leave nothing open`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let before = try openFiles()
        for _ in 1...50 {
            let error = try failure {
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

/// How many file descriptors this process has.
private func openFiles() throws -> Int {
    let directory = unsafe try #require(opendir("/proc/self/fd"))
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}
