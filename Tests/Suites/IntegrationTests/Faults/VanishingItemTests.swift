import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests items that change between the search that found them and the calls that read them.
struct VanishingItemTests {
    static let group = "group.example.vanishing"

    @Test("An item deleted between search and read means signed out, not an error")
    func deleted() async throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.group, appID: "")
        let app = try app(world, before: "Get") { try world.sweep() }
        #expect(try app.stored(Self.group) == nil)
    }

    @Test("An item deleted before its secret is read means signed out, not an error")
    func deletedLater() async throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.group, appID: "")
        let app = try app(world, before: "GetSecrets") { try world.sweep() }
        #expect(try app.stored(Self.group) == nil)
    }

    @Test("Items that are listed and cannot be read point to a second keyring daemon")
    func ghosts() async throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        try world.plant(Array("ghost".utf8), in: key)
        let service = world.keyring.makeService()
        let ghost = try #require(try service.items(matching: key.queryAttributes).unlocked.first)
        let interceptor = CallInterceptor { call, _ in
            call.path == ghost.path ? SecretServiceError(code: .noSuchItem, message: "It does not exist.") : nil
        }
        let store = world.keyring.makeStore(interceptor: interceptor)
        let error = expectFailure(\RecordStoreError.code, .failed) { _ = try store.read(key, by: .patient) }
        #expect(error?.message.contains("lists an item of") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("a second keyring daemon has changed") == true)
        #expect(error?.remedy?.contains("sharedauth doctor") == true)
    }

    @Test("Items that exist, but not when they are read, are the daemon's contradiction")
    func contradiction() throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        try world.plant(Array("there".utf8), in: key)
        let service = world.keyring.makeService()
        let item = try #require(try service.items(matching: key.queryAttributes).unlocked.first)
        let interceptor = CallInterceptor { call, _ in
            call.path == item.path && call.member == "GetSecret" || call.member == "GetSecrets"
                ? SecretServiceError(code: .noSuchItem, message: "It does not exist.") : nil
        }
        let store = world.keyring.makeStore(interceptor: interceptor)
        let error = expectFailure(\RecordStoreError.code, .failed) { _ = try store.read(key, by: .patient) }
        #expect(error?.message.contains("contradicts itself") == true, "\(error?.message ?? "")")
        #expect(error?.remedy?.contains("Try again") == false)
    }

    @Test("A keyring locked between search and read is locked, not empty")
    func locked() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        try world.put(world.account("x"), in: Self.group, appID: "")
        let app = try app(world, before: "GetSecrets") { try keyring.lock() }
        expectFailure(.keyringLocked) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
    }

    @Test(
        "A keyring that dies after a search and returns locked is locked, not empty",
        arguments: [
            "Get", "GetSecrets",
        ]
    )
    func comesBackLocked(before member: String) async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        try world.put(world.account("x"), in: Self.group, appID: "")
        let app = try app(world, before: member) {
            try keyring.restartDaemon(unlocked: false)
        }
        expectFailure(.keyringLocked) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
    }

    @Test("A locked keyring that returns an unnamed error is locked")
    func lockedWithoutReason() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        try world.put(world.account("x"), in: Self.group, appID: "")
        let lock = Event { try keyring.lock() }
        let app = try TestApp(
            world,
            interceptor: CallInterceptor { call, _ in
                guard call.member == "GetSecrets", lock.happen() else { return nil }
                return SecretServiceError(
                    code: .protocolViolation,
                    message: "The test says so.",
                    remoteErrorName: "org.freedesktop.DBus.Error.Failed"
                )
            }
        )
        _ = app.auth.currentUser
        lock.arm()
        expectFailure(.keyringLocked) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
    }

    @Test(
        "A record just written is not deleted because a locked keyring hashes attributes"
    )
    func writtenAndLocked() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        let deletions = Atomic(0)
        let isWritten = Atomic(false)
        let app = try TestApp(
            world,
            interceptor: CallInterceptor { call, _ in
                // Without a lock that all processes share, an item is read back after it was created.
                if call.member == "RequestName" {
                    return SecretServiceError(code: .denied, message: "The test says so.")
                }
                if call.member == "Delete" { deletions.add(1, ordering: .sequentiallyConsistent) }
                if call.member == "CreateItem" { isWritten.store(true, ordering: .sequentiallyConsistent) }
                guard call.member == "Get", isWritten.exchange(false, ordering: .sequentiallyConsistent) else {
                    return nil
                }
                do {
                    try keyring.restartDaemon(unlocked: false)
                } catch {
                    Issue.record(error)
                }
                return nil
            }
        )
        await expectFailure(.outcomeUnknown) { try await app.signIn("x") }
        #expect(deletions.load(ordering: .sequentiallyConsistent) == 0)
        try keyring.restartDaemon()
        #expect(try app.stored(nil) == "x")
    }

    @Test("A write carried out while the bus closes is read back and kept")
    func busClosed() async throws {
        let world = try AppFixture()
        let app = try TestApp(
            world,
            interceptor: CallInterceptor { call, proceed in
                guard call.member == "CreateItem" else { return nil }
                _ = proceed()
                return SecretServiceError(code: .busClosed, message: "The test says so.", outcomeIsUnknown: true)
            }
        )
        try await app.signIn("x")
        #expect(try app.stored(nil) == "x")
    }

    /// Returns an app on which `happens` runs before the first call of a kind after the app's first load.
    private func app(
        _ world: AppFixture,
        before member: String,
        _ happens: @escaping @Sendable () throws -> Void
    ) throws -> TestApp {
        let event = Event(happens)
        let app = try TestApp(
            world,
            interceptor: CallInterceptor { call, _ in
                if call.member == member { event.happen() }
                return nil
            }
        )
        _ = app.auth.currentUser
        event.arm()
        return app
    }
}

/// Runs an action once, after it was armed.
private final class Event: Sendable {
    private let isArmed = Atomic<Bool>(false)
    private let work: @Sendable () throws -> Void

    init(_ work: @escaping @Sendable () throws -> Void) {
        self.work = work
    }

    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    /// Runs the action if it is armed, and returns whether it ran.
    @discardableResult
    func happen() -> Bool {
        guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return false }
        do { try work() } catch { Issue.record(error) }
        return true
    }
}
