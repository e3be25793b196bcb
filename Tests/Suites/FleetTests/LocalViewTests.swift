import Foundation
import SharedAuth
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthFleet

/// Tests the view for apps without the fleet, and the age of the state in apps with it.
struct LocalViewTests {
    private let server = HostileServer()

    /// Returns the local record of the group, if it is a user record.
    private func view(of device: TestDevice) throws -> UserRecord? {
        try device.local.payload(sharedKey).map { try UserRecord(decoding: $0) }
    }

    @Test("The local store shows who is signed in, without tokens, and as of when")
    func showing() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let store = two.store()
        _ = try store.payload(sharedKey)
        for device in [one, two] {
            let view = try #require(try view(of: device))
            #expect(view.currentAccount?.uid == "alice" && view.fleet?.asOf == nil)
            #expect(view.currentAccount?.tokens.idToken == nil && view.currentAccount?.tokens.refreshToken == nil)
        }
        server.isAway = true
        try store.change(sharedKey, .delete)
        #expect(try #require(try view(of: two)).accounts.isEmpty)
        store.disownCopies()
        #expect(try view(of: two)?.fleet?.asOf != nil)
        server.isAway = false
        _ = try store.payload(sharedKey)
        #expect(try view(of: two)?.fleet != nil)
        #expect(try view(of: two)?.fleet?.asOf == nil)
        try two.fleet.leave(by: .patient)
        #expect(try two.local.payload(sharedKey) == nil)
    }

    @Test("A user of an app without the fleet is replaced only by a sign-in on the fleet")
    func localUser() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let local = try UserRecords.signedIn("local")
        try two.local.change(sharedKey, .write(local))
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        #expect(try UserRecords.users(two.store().payload(sharedKey)) == ["alice": 0])
        #expect(try two.local.payload(sharedKey) == local)
        try two.store().change(sharedKey, .write(try UserRecords.signedIn("bob")))
        #expect(try view(of: two)?.currentAccount?.uid == "bob")
        #expect(try view(of: two)?.fleet != nil)
    }

    @Test("The local record changes only where no user of another app is lost")
    func changes() throws {
        let (view, newer) = (try UserRecord().viewed(asOf: nil).encoded(), Array(#"{"version":9}"#.utf8))
        func change(_ stored: StoredRecord, replacing: Bool) -> [UInt8]? {
            switch LocalView.change(of: stored, to: view, replacing: replacing) {
            case .write(let payload), .replaceDamaged(let payload): payload
            case .keep, .delete, .removeDamaged: nil
            }
        }
        func whole(_ payload: [UInt8]) -> StoredRecord {
            .whole(Record(payload: payload, revision: Revision(counter: 1, nonce: 1)))
        }
        let former = try UserRecord().viewed(asOf: .now).encoded()
        for replacing in [false, true] {
            for stored in [StoredRecord.none, .empty, whole(former)] {
                #expect(change(stored, replacing: replacing) == view)
            }
            for stored in [whole(view), .newer("it is")] { #expect(change(stored, replacing: replacing) == nil) }
        }
        for stored in [whole(try UserRecords.signedIn("local")), whole(newer), .damaged("it is")] {
            #expect(change(stored, replacing: false) == nil)
            #expect(change(stored, replacing: true) == view)
        }
    }

    private let group = "group.example.fleet"

    private func app(on store: any RecordStore, _ identity: ScriptedIdentity = ScriptedIdentity()) throws -> AuthApp {
        try AuthApp(
            unregistered: AuthApp.Options(
                appID: "com.example.Mail",
                project: "fleet",
                identityProvider: identity.source,
                store: .custom(store),
                stateDirectory: TestDirectory.newPath(),
                observesOtherProcesses: false
            )
        )
    }

    @Test("A group is refused if the app and its store differ on sharing", arguments: [true, false])
    func sharing(_ isOnFleet: Bool) throws {
        let device = try TestDevice.on(server)
        let app = try app(on: isOnFleet ? device.store() : device.local)
        let auth = app.auth
        #expect(auth.shareAuthStateAcrossDevices == isOnFleet)
        auth.shareAuthStateAcrossDevices = !isOnFleet
        #expect(auth.shareAuthStateAcrossDevices == !isOnFleet)
        let calls: [() throws -> Void] = [
            { try auth.useUserAccessGroup(group) }, { _ = try auth.getStoredUser(forAccessGroup: group) },
        ]
        for call in calls {
            let error = expectFailure(.operationNotAllowed) { try call() }
            #expect(error?.remedy?.contains(isOnFleet ? "to true" : ".fleet()") == true)
        }
        try auth.useUserAccessGroup(nil)
        #expect(auth.userAccessGroup == nil)
        auth.shareAuthStateAcrossDevices = isOnFleet
        try auth.useUserAccessGroup(group)
        #expect(auth.userAccessGroup == group)
    }

    @Test("While the server is away, the state is that of the copy, and says as of when")
    func stateAsOf() async throws {
        let device = try TestDevice.on(server)
        let identity = ScriptedIdentity()
        let app = try app(on: device.store(), identity)
        let auth = app.auth
        try auth.useUserAccessGroup(group)
        identity.expect(.scripted("alice"))
        try await auth.signIn(withEmail: "a@example.com", password: "password")
        #expect(auth.stateAsOf == nil)
        server.isAway = true
        #expect(try auth.getStoredUser(forAccessGroup: group)?.uid == "alice")
        #expect(auth.currentUser?.uid == "alice" && auth.stateAsOf != nil)
        // The identity provider, which has no more users, is not asked.
        await expectFailure(.keyringUnavailable) {
            try await auth.signIn(withEmail: "b@example.com", password: "password")
        }
        server.isAway = false
        #expect(try auth.getStoredUser(forAccessGroup: group)?.uid == "alice")
        #expect(auth.stateAsOf == nil)
    }
}
