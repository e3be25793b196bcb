import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

struct BusFailureTests {
    @Test(
        "Every call reports a missing bus",
        arguments: ["unix:path=/nowhere/bus", "no address", "autolaunch:", "", "unix:path=/a\0b"]
    )
    func noBus(address: String) throws {
        let service = SecretService(.init(busAddress: .address(address)))
        let error = try #require(throws: SecretServiceError.self) { _ = try service.collections() }
        #expect(error.code == (address.contains("\0") ? .invalidArgument : .noSessionBus))
        #expect(error.outcomeIsUnknown == false)
    }

    @Test("A bus without a daemon and a missing bus are different errors")
    func busWithoutDaemon() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let service = keyring.makeService()
        expectFailure(\SecretServiceError.code, .noDaemon) { try service.defaultCollection() }
        expectFailure(\SecretServiceError.code, .noDaemon) { try service.daemon() }
        let item = service.item(at: "/org/freedesktop/secrets/collection/login/1")
        expectFailure(\SecretServiceError.code, .noDaemon) { try item.secret() }
    }

    @Test("A call to a hung daemon ends at its deadline")
    func hungDaemonCosts() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let collection = try service.defaultCollection()
        keyring.stopDaemon()
        let elapsed = try ContinuousClock().measure {
            let reading = try #require(throws: SecretServiceError.self) {
                _ = try item.secret(by: .after(.seconds(1)))
            }
            #expect(reading.code == .timedOut)
            #expect(reading.outcomeIsUnknown == false)
            let writing = try #require(throws: SecretServiceError.self) {
                _ = try collection.createItem(
                    label: "x",
                    attributes: ["test": "late"],
                    secret: Secret("x"),
                    by: .after(.seconds(1))
                )
            }
            #expect(writing.code == .timedOut)
            #expect(writing.outcomeIsUnknown)
        }
        #expect(elapsed >= .seconds(2))
        #expect(elapsed < .hang)
        keyring.continueDaemon()
        #expect(try item.secret() == Secret("x"))
        // The write with the unknown outcome succeeded.
        #expect(try service.items(matching: ["test": "late"]).unlocked.count == 1)
    }

    @Test("A call whose deadline has passed sends nothing")
    func deadlinePastSends() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let collection = try service.defaultCollection()
        let error = try #require(throws: SecretServiceError.self) {
            _ = try collection.createItem(
                label: "x",
                attributes: ["test": "late"],
                secret: Secret("x"),
                by: .after(.seconds(-1))
            )
        }
        #expect(error.code == .timedOut)
        #expect(error.outcomeIsUnknown == false)
        #expect(try service.items(matching: ["test": "late"]).unlocked.isEmpty)
    }

    @Test("A connection attempt to a hung bus ends at the deadline")
    func hangsWhileConnecting() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        keyring.stopBus()
        let service = keyring.makeService(timeout: .milliseconds(150))
        let start = ContinuousClock.now
        expectFailure(\SecretServiceError.code, .timedOut) { try service.collections() }
        #expect(ContinuousClock.now - start < .hang)
        keyring.continueBus()
        expectFailure(\SecretServiceError.code, .noDaemon) { try service.collections(by: .after(.seconds(10))) }
    }

    @Test("A connection attempt ends at the deadline if the bus does not reply to Hello")
    func neverAnswersHello() throws {
        let bus = try SilentBus()
        let service = SecretService(.init(busAddress: .address("unix:path=\(bus.path)"), timeout: .milliseconds(150)))
        let start = ContinuousClock.now
        expectFailure(\SecretServiceError.code, .timedOut) { try service.collections() }
        #expect(ContinuousClock.now - start < .hang)
        // The client had sent Hello.
        #expect(bus.received.first { $0.contains("BEGIN") } != nil)
        #expect(bus.received.first { $0.contains("Hello") } != nil)
    }

    @Test("A later call finds the new bus after the old one died")
    func busDies() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        keyring.killBus()
        #expect(events.first { $0 == .busClosed } != nil)
        // The service knows that the old connection is closed, so this call fails to connect.
        expectFailure(\SecretServiceError.code, .noSessionBus) { try item.secret() }
        try keyring.startBus()
        expectFailure(\SecretServiceError.code, .noDaemon) { try item.secret() }
        try keyring.startDaemon(unlocked: true)
        #expect(try item.secret() == Secret("x"))
        #expect(events.events.count { $0 == .busClosed } == 1)
        withExtendedLifetime(watch) {}
    }

    @Test("A write has an unknown outcome if the bus dies while it waits")
    func busDiesDuringWrite() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        keyring.stopDaemon()
        let called = Recorder<Void>()
        let watched = keyring.makeService(
            interceptor: CallInterceptor { call, _ in
                if call.member == "SetSecret" { called.record(()) }
                return nil
            }
        )
        // The session must be open before the daemon hangs.
        keyring.continueDaemon()
        _ = try watched.item(at: item.path).secret()
        keyring.stopDaemon()
        let outcome = inBackground {
            Result { () throws(SecretServiceError) in try watched.item(at: item.path).setSecret(Secret("y")) }
        }
        #expect(called.first { true } != nil)
        keyring.killBus()
        let result = try #require(outcome.first { _ in true })
        guard case .failure(let error) = result else { throw PrivateKeyringFailure() }
        #expect(error.code == .busClosed || error.code == .noSessionBus)
        #expect(error.outcomeIsUnknown == (error.code == .busClosed))
    }
}

struct PrivateKeyringFailure: Error {}

/// A socket that authenticates every client and sends nothing more.
final class SilentBus: Sendable {
    let path = "/tmp/silent-bus-\(UUID().uuidString)"
    /// The bytes that clients sent.
    let received = Recorder<String>()
    private let listener: Int32

    init() throws {
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = listening
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in unsafe bytes.copyBytes(from: path.utf8) }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listening, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listening, 8) == 0 else { throw PrivateKeyringFailure() }
        Thread.detachNewThread { [received] in Self.serve(listening, received) }
    }

    deinit {
        // Ends the thread's `accept`.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unsafe unlink(path)
    }

    private static func serve(_ listener: Int32, _ received: Recorder<String>) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            var isAccepted = false
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(client, &buffer, buffer.count)
                guard count > 0 else { break }
                received.record(String(decoding: buffer.prefix(count), as: UTF8.self))
                guard !isAccepted else { continue }
                isAccepted = true
                let answer = "OK 0123456789abcdef0123456789abcdef\r\n"
                _ = unsafe write(client, answer, answer.utf8.count)
            }
        }
    }
}
