import Crypto
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests devices on a server that lies.
struct HostileServerTests {
    /// Two devices, and the server, on which no user is signed in yet.
    private func pair() throws -> (server: HostileServer, one: TestDevice, two: TestDevice) {
        let server = HostileServer()
        let one = try TestDevice.on(server)
        return (server, one, try TestDevice.on(server, enrolledBy: one))
    }

    private func failure(_ body: () throws -> Void) -> FleetError? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RecordStoreError)?.ofFleet ?? error as? FleetError
        }
    }

    @Test("An old record is replaced by the device that remembers a later one")
    func oldRecord() throws {
        let (server, one, two) = try pair()
        let first = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(first))
        _ = try two.store().payload(sharedKey)
        let old = server.contents.records
        let second = try UserRecords.refreshed(first)
        try one.store().change(sharedKey, .write(second))
        server.contents.records = old
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        #expect(server.contents.records != old)
        #expect(try UserRecords.users(two.store().payload(sharedKey)) == ["alice": 1])
    }

    @Test("A device repeats a sign-out that a restored backup has lost")
    func forgottenSignOut() throws {
        let (server, one, two) = try pair()
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let old = server.contents
        try one.store().change(sharedKey, .delete)
        #expect(try two.store().payload(sharedKey) == nil)
        server.contents = old
        #expect(try two.store().payload(sharedKey) == nil)
        #expect(try one.store().payload(sharedKey) == nil)
    }

    @Test("A deleted record is written again by the device that remembers it")
    func deletedRecord() throws {
        let (server, one, _) = try pair()
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        server.contents.records = [:]
        #expect(try one.store().payload(sharedKey) == payload)
        #expect(server.contents.records.values.contains { $0.sealed != nil })
    }

    @Test("A renamed, foreign or truncated record is forged, and changes no copy")
    func forgedRecord() throws {
        let (server, one, _) = try pair()
        let other = RecordKey(scope: .group("group.example.other"), project: "fleet", instance: "default", kind: "user")
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let name = try #require(server.contents.records.keys.first)
        let whole = try #require(server.contents.records[name]?.sealed)
        try one.store().change(other, .write(try UserRecords.signedIn("bob")))
        let swapped = try #require(server.contents.records.first { $0.key != name }?.value.sealed)
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        for forged in [swapped, flipped, Array(whole.dropLast()), Array(whole.prefix(40)), [], [0]] {
            server.contents.records[name]?.sealed = forged
            #expect(failure { _ = try one.store().payload(sharedKey) }?.code == .forgedRecord)
            #expect(failure { try one.store().change(sharedKey, .delete) }?.code == .forgedRecord)
        }
        server.isAway = true
        #expect(try one.store().payload(sharedKey) == payload)
    }

    @Test("A record of another epoch counts as missing")
    func otherEpoch() throws {
        let (server, one, two) = try pair()
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let old = server.contents.records
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        server.contents.records = old
        #expect(try one.store().payload(sharedKey) == nil)
    }

    @Test("An old list of devices is replaced by the one that a device remembers")
    func oldHeader() throws {
        let (server, one, two) = try pair()
        let old = server.contents.headers
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        let present = server.contents.headers
        server.contents.headers = old
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        #expect(server.contents.headers == present)
        #expect(failure { _ = try two.store().payload(sharedKey) }?.code == .removed)
    }

    @Test("A changed, forged or swapped list of devices changes nothing")
    func forgedHeader() throws {
        let (server, one, two) = try pair()
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let honest = server.contents
        // A device of the attacker, signed with its own keys.
        let attacker = DeviceKeys()
        let foreign = try FleetHeader.founding(by: attacker, named: "attacker")
        let present = try #require(one.records.device(by: .patient)?.header)
        let guest = EnrolmentCode()
        let invited = try present.inviting(guest, by: attacker, foreign.keys)
        let latest = honest.headers.count
        var flipped = try #require(honest.headers.last)
        flipped[flipped.count / 2] ^= 1
        // A list that claims to be written by a device of the fleet.
        let claimed = FleetHeader.Body(
            fleet: present.fleet,
            number: present.number + 1,
            epoch: present.body.epoch,
            devices: present.body.devices + foreign.header.body.devices,
            previous: present.digest,
            author: try #require(present.body.devices.first).id
        )
        let forged = try FleetHeader(claimed, signedBy: attacker)
        let cases: [([UInt8], FleetError.Code)] = [
            (foreign.header.bytes, .reset), (invited.bytes, .forgedHeader), (forged.bytes, .forgedHeader),
            (Array(invited.bytes.dropLast(9)), .forgedHeader),
            (flipped, .forgedHeader), ([], .forgedHeader),
        ]
        for (bytes, code) in cases {
            server.contents.headers = honest.headers + [bytes]
            #expect(failure { _ = try one.store().payload(sharedKey) }?.code == code)
            #expect(failure { try one.store().change(sharedKey, .write([1])) }?.code == code)
            #expect(one.records.latestHeader == latest)
        }
        // Another history of the same fleet.
        server.contents.headers = honest.headers
        for _ in 1...2 { _ = try two.fleet.inviteDevice(by: .patient) }
        let branch = server.contents.headers
        server.contents.headers = honest.headers
        _ = try one.fleet.inviteDevice(by: .patient)
        server.contents.headers = branch
        #expect(failure { _ = try one.store().payload(sharedKey) }?.code == .divergedHeader)
        #expect(server.contents.records == honest.records)
    }

    @Test("A new device refuses a list by a device that does not know its code")
    func forgedInvitation() throws {
        let server = HostileServer()
        let one = try TestDevice.on(server)
        let code = try one.fleet.inviteDevice(by: .patient)
        let honest = try FleetHeader(try #require(server.contents.headers.last))
        let invitation = try #require(honest.body.invitation)
        // The attacker copies the invitation's public keys into another fleet, and wraps that fleet's key for them.
        let attacker = DeviceKeys()
        let foreign = try FleetHeader.founding(by: attacker, named: "attacker")
        let forged = try foreign.header.forging(invitation, by: attacker, foreign.keys)
        let new = TestDevice { _ in server }
        let address = ServerAddress(host: "server.example", database: "fleet", role: "alice")
        server.contents.headers = [foreign.header.bytes, forged.bytes]
        #expect(
            failure { try new.fleet.join(at: address, with: code, deviceName: "new", by: .patient) }?.code
                == .forgedHeader
        )
        #expect(try new.fleet.enrolment(by: .patient) == nil)
        server.contents.headers = [honest.bytes]
        #expect(
            failure { try new.fleet.join(at: address, with: EnrolmentCode(), deviceName: "new", by: .patient) }?.code
                == .wrongCode
        )
    }

    @Test("A code is good for one device")
    func usedCode() throws {
        let (server, one, _) = try pair()
        let code = try one.fleet.inviteDevice(by: .patient)
        let address = ServerAddress(host: "server.example", database: "fleet", role: "alice")
        let (third, fourth) = (TestDevice { _ in server }, TestDevice { _ in server })
        try third.fleet.join(at: address, with: code, deviceName: "third", by: .patient)
        #expect(
            failure { try fourth.fleet.join(at: address, with: code, deviceName: "fourth", by: .patient) }?.code
                == .wrongCode
        )
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["first", "second", "third"])
    }

    @Test("A server that withholds notifications delays a change by at most the next read")
    func withheldNotifications() throws {
        let server = HostileServer(withholdingChanges: true)
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let store = two.store()
        let events = Recorder<RecordEvent>()
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        try one.store().change(sharedKey, .write([1]))
        #expect(try store.payload(sharedKey) == [1])
        watch.cancel()
    }

    @Test("The stored data has padded sizes and contains no names")
    func leaks() throws {
        let (server, one, _) = try pair()
        for length in [1, 100, 300] {
            try one.store().change(sharedKey, .write(Array(repeating: 7, count: length)))
            let sealed = try #require(server.contents.records.values.first?.sealed)
            #expect((sealed.count - 23 - 28) % 512 == 0)
        }
        let stored = server.contents.headers.flatMap(\.self) + server.contents.records.keys.flatMap(\.self)
        let text = String(decoding: stored, as: UTF8.self)
        #expect(!text.contains("first") && !text.contains("second") && !text.contains("group.example"))
    }
}

extension LocalRecords {
    fileprivate var latestHeader: Int? { (try? device(by: .patient))?.header.number }
}

extension FleetHeader {
    /// The header with which a server would catch a device that has the code of an invitation: it lists the attacker,
    /// who wraps another key for the invitation.
    fileprivate func forging(_ invitation: Invitation, by attacker: DeviceKeys, _ keys: FleetKeys) throws -> FleetHeader
    {
        var body = try inviting(EnrolmentCode(), by: attacker, keys).body
        let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: invitation.agreement)
        body.invitation = Invitation(
            agreement: invitation.agreement,
            signing: invitation.signing,
            keys: try keys.wrapped(for: recipient, by: attacker.agreement, in: fleet),
            voucher: invitation.voucher
        )
        return try FleetHeader(body, signedBy: attacker)
    }
}
