import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests devices whose server is away, or goes away in the middle of a change.
struct AwayTests {
    private let server = HostileServer()

    @Test("While the server is away, only sign-outs change the copy")
    func readOnly() throws {
        let device = try TestDevice.on(server)
        let store = device.store()
        let payload = try UserRecords.signedIn("alice")
        try store.change(sharedKey, .write(payload))
        try store.checkWritable(sharedKey, by: .patient)
        server.isAway = true
        #expect(try store.payload(sharedKey) == payload)
        let told = expectFailure(\RecordStoreError.code, .unavailable) {
            try store.checkWritable(sharedKey, by: .patient)
        }
        #expect(told?.ofFleet?.code == .needsServer)
        let status = try #require(try store.status(by: .patient).fleet)
        #expect(status.isAway && status.asOf != nil && status.pendingSignOuts == 0 && status.device == "first")
        for change in [RecordChange.write(try UserRecords.signedIn("bob")), .write(try UserRecords.refreshed(payload))]
        {
            let error = expectFailure(\RecordStoreError.code, .unavailable) { try store.change(sharedKey, change) }
            #expect(error?.ofFleet?.code == .needsServer)
        }
        #expect(try store.payload(sharedKey) == payload)
        #expect(try device.store().payload(sharedKey) == payload)
        expectFailure(\RecordStoreError.code, .unavailable) {
            _ = try store.acquire("refresh", for: sharedKey, by: .patient)
        }
    }

    @Test("A device without a copy reports the server as away, and not as signed out")
    func noCopy() throws {
        let device = try TestDevice.on(server)
        server.isAway = true
        expectFailure(\RecordStoreError.code, .unavailable) { _ = try device.store().payload(sharedKey) }
        expectFailure(\RecordStoreError.code, .unavailable) { try device.store().change(sharedKey, .delete) }
    }

    @Test("A sign-out while away is carried out later, even after a refresh")
    func signOutAway() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let payload = try UserRecords.record([UserRecords.account("alice"), UserRecords.account("bob")])
        try one.store().change(sharedKey, .write(payload))
        let away = two.store()
        _ = try away.payload(sharedKey)

        server.isAway = true
        let rest = try #require(try UserRecords.without("alice", in: payload))
        try away.change(sharedKey, .write(rest))
        #expect(try UserRecords.users(away.payload(sharedKey)) == ["bob": 0])
        #expect(try two.store().status(by: .patient).fleet != nil)
        #expect(try UserRecords.users(two.store().payload(sharedKey)) == ["bob": 0])

        server.isAway = false
        try one.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
        #expect(try UserRecords.users(away.payload(sharedKey)) == ["bob": 1])
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["bob": 1])
    }

    @Test("A sign-out while away does not end a session that began later")
    func laterSession() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let away = two.store()
        _ = try away.payload(sharedKey)
        server.isAway = true
        try away.change(sharedKey, .delete)
        #expect(try away.payload(sharedKey) == nil)
        server.isAway = false
        let again = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(again))
        #expect(try away.payload(sharedKey) == again)
    }

    @Test("A watch carries out a sign-out when the server returns", .timeLimit(.minutes(2)))
    func watchCarriesOut() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let away = two.store()
        _ = try away.payload(sharedKey)
        server.isAway = true
        try away.change(sharedKey, .delete)
        let watch = try away.watch(sharedKey, by: .patient) { _ in }
        let (store, events) = (one.store(), Recorder<RecordEvent>())
        server.isAway = false
        let other = try store.watch(sharedKey, by: .patient) { events.record($0) }
        while try store.payload(sharedKey) != nil { #expect(events.take { $0 == .changed } != nil) }
        withExtendedLifetime(watch) { other.cancel() }
    }

    @Test("A connection that breaks at the commit loses no sign-out and no tokens")
    func brokenCommit() throws {
        for point in [HostileServer.Break.beforeCommit, .afterCommit] {
            let server = HostileServer()
            let device = try TestDevice.on(server)
            let store = device.store()
            let payload = try UserRecords.signedIn("alice")
            try store.change(sharedKey, .write(payload))
            server.breakConnection(point)
            let error = expectFailure(\RecordStoreError.code, .unavailable) {
                try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
            }
            #expect(error?.outcomeIsUnknown == true)
            // The tokens are in the copy, and reach the server with the next call.
            #expect(try UserRecords.users(device.store().payload(sharedKey)) == ["alice": 1])
            server.breakConnection(point)
            try store.change(sharedKey, .delete)
            #expect(try device.store().payload(sharedKey) == nil)
            #expect(try TestDevice.on(server, enrolledBy: device).store().payload(sharedKey) == nil)
        }
    }

    @Test("An exchange that a crashed device began is left to that device")
    func crashInExchange() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        // The note that a process leaves which dies in its turn.
        let device = try #require(try one.records.device(by: .patient))
        let name = try device.header.keys(for: device.keys).name(of: sharedKey)
        server.contents.records[name]?.exchanging = device.keys.id
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try two.store().acquire("refresh", for: sharedKey, by: .patient)
        }
        #expect(error?.ofFleet?.code == .exchangeInterrupted && error?.message.contains("first") == true)
        // The device itself may finish, and a new sign-in needs no other device.
        try one.store().acquire("refresh", for: sharedKey, by: .patient).release()
        try two.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        try two.store().acquire("refresh", for: sharedKey, by: .patient).release()
    }

    @Test("Own records and records of other kinds stay on the device")
    func ownRecords() throws {
        let one = try TestDevice.on(server)
        let keys = [
            RecordKey(scope: .app("com.example.Mail"), project: "fleet", instance: "default", kind: "user"),
            RecordKey(scope: .group("group.example.fleet"), project: "fleet", instance: "default", kind: "pass.tokens"),
        ]
        for key in keys {
            try one.store().change(key, .write([1]))
            #expect(try one.local.payload(key) == [1])
        }
        #expect(server.contents.records.isEmpty)
    }

    @Test("A device that leaves keeps neither keys nor copies")
    func leaving() throws {
        let one = try TestDevice.on(server)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        try one.fleet.leave(by: .patient)
        #expect(try one.local.payload(one.records.copyKey(of: sharedKey)) == nil)
        #expect(try one.fleet.enrolment(by: .patient) == nil)
        let error = expectFailure(\RecordStoreError.code, .unavailable) { _ = try one.store().payload(sharedKey) }
        #expect(error?.ofFleet?.code == .notEnrolled)
    }

    @Test("A reset signs all out; other devices report it until enrolled again")
    func resetting() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        _ = try two.store().payload(sharedKey)
        let address = try #require(try two.fleet.enrolment(by: .patient)).address
        try two.fleet.reset(at: address, deviceName: "second", by: .patient)
        #expect(try two.store().payload(sharedKey) == nil)
        let error = expectFailure(\RecordStoreError.code, .denied) { _ = try one.store().payload(sharedKey) }
        #expect(error?.ofFleet?.code == .reset)
        try one.fleet.leave(by: .patient)
        try two.enrol(one, named: "first", at: address)
        #expect(try one.store().payload(sharedKey) == nil)
    }
}
