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

    @Test("A renamed, foreign, implausible or truncated record is absent")
    func forgedRecord() throws {
        let (server, one, two) = try pair()
        let other = RecordKey(scope: .group("group.example.other"), project: "fleet", instance: "default", kind: "user")
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let device = try #require(try one.records.device(by: .patient))
        let keys = try device.header.keys(for: device.keys)
        let name = keys.name(of: sharedKey)
        let whole = try #require(server.contents.records[name]?.sealed)
        try one.store().change(other, .write(try UserRecords.signedIn("bob")))
        let swapped = try #require(server.contents.records[keys.name(of: other)]?.sealed)
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        // A device of the fleet sealed these.
        let implausible = try [UInt64(Int64.max) + 1, .max].map { counter in
            let revision = Revision(counter: counter, nonce: .max)
            let content = UserContent(payload, after: nil)
            return try keys.seal(.init(revision: revision, content: content), named: name, in: device.header.fleet)
        }
        let cut = [Array(whole.dropLast()), Array(whole.prefix(40)), [], [0]]
        for forged in [swapped, flipped] + implausible + cut {
            for change in [RecordChange.keep, .write(payload)] {
                server.contents.records[name] = ServerRecord(epoch: .max >> 1, sealed: forged, exchanging: "nobody")
                #expect(try one.store().payload(sharedKey) == payload)
                try one.store().change(sharedKey, change)
                #expect(server.contents.records[name]?.sealed != forged)
                #expect(try two.store().payload(sharedKey) == payload)
            }
            server.contents.records[name]?.sealed = forged
            server.contents.records[name]?.exchanging = "nobody"
            try one.store().acquire("refresh", for: sharedKey, by: .patient).release()
        }
        server.contents.records[name]?.sealed = implausible[1]
        try one.store().change(sharedKey, .delete)
        #expect(try one.store().payload(sharedKey) == nil && two.store().payload(sharedKey) == nil)
        server.contents.records[name]?.sealed = implausible[1]
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        #expect(try one.store().payload(sharedKey) == nil)
    }

    @Test("A used-up counter stops no change, and begins again with the next removal")
    func usedUpCounter() throws {
        let (server, one, two) = try pair()
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let device = try #require(try one.records.device(by: .patient))
        let keys = try device.header.keys(for: device.keys)
        let name = keys.name(of: sharedKey)
        let content = UserContent(payload, after: nil)
        let last = FleetKeys.OpenRecord(revision: Revision(counter: UInt64(Int64.max), nonce: 1), content: content)
        server.contents.records[name]?.sealed = try keys.seal(last, named: name, in: device.header.fleet)
        #expect(try one.store().payload(sharedKey) == payload)
        try one.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
        try one.store().change(sharedKey, .delete)
        #expect(try one.store().payload(sharedKey) == nil)
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        let third = try TestDevice.on(server, enrolledBy: one, named: "third")
        for number in 1...3 {
            let next = try UserRecords.signedIn("bob \(number)")
            try one.store().change(sharedKey, .write(next))
            #expect(try third.store().payload(sharedKey) == next && one.store().payload(sharedKey) == next)
        }
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

    /// Lists of devices that no device of the fleet wrote after the present one.
    private func forgedHeaders(after present: FleetHeader) throws -> [[UInt8]] {
        // A device of the attacker, signed with its own keys.
        let attacker = DeviceKeys()
        let foreign = try FleetHeader.founding(by: attacker, named: "attacker")
        let invited = try present.admitting(NewDevice(DeviceKeys(), named: ""), by: attacker, foreign.keys).bytes
        var flipped = present.bytes
        flipped[flipped.count / 2] ^= 1
        // Lists that claim to be written by a device of the fleet.
        let claimed = try [(present.number + 1, present.body.epoch), (.max, .max), (.min, 0)].map { number, epoch in
            let body = FleetHeader.Body(
                fleet: present.fleet,
                number: number,
                epoch: epoch,
                devices: present.body.devices + foreign.header.body.devices,
                previous: present.digest,
                author: try #require(present.body.devices.first).id
            )
            return try FleetHeader(body, signedBy: attacker).bytes
        }
        let newer = Array("SharedAuthFleetHeader2.".utf8) + invited.dropFirst(23)
        return claimed + [foreign.header.bytes, invited, newer, Array(invited.dropLast(9)), flipped, []]
    }

    @Test("A changed, forged or swapped list of devices is absent")
    func forgedHeader() throws {
        for number in 0..<9 {
            let (server, one, two) = try pair()
            let payload = try UserRecords.signedIn("alice")
            try one.store().change(sharedKey, .write(payload))
            let latest = try #require(one.records.device(by: .patient)?.header)
            server.contents.headers.append(try forgedHeaders(after: latest)[number])
            #expect(try one.store().payload(sharedKey) == payload)
            try one.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
            try one.store().acquire("refresh", for: sharedKey, by: .patient).release()
            #expect(one.records.latestHeader == latest.number)
            // The next list stands behind the forged one.
            let third = try TestDevice.on(server, enrolledBy: one, named: "third")
            #expect(try UserRecords.users(third.store().payload(sharedKey)) == ["alice": 1])
            try two.fleet.remove(try #require(third.records.device(by: .patient)?.keys.id), by: .patient)
            #expect(failure { _ = try third.store().payload(sharedKey) }?.code == .removed)
            #expect(try one.store().payload(sharedKey) == nil)
            #expect(one.records.latestHeader == latest.number + 2)
        }
    }

    @Test("A removed device signs out, and shows no state")
    func removedSignOut() throws {
        let (_, one, two) = try pair()
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let store = two.store()
        _ = try store.payload(sharedKey)
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        try store.change(sharedKey, .delete)
        #expect(try two.records.copy(of: sharedKey, by: .patient).state.shown == nil)
        #expect(failure { _ = try store.payload(sharedKey) }?.code == .removed)
        #expect(failure { try store.change(sharedKey, .write([1])) }?.code == .removed)
    }

    @Test("Of two histories of a fleet, a device keeps its own, and signs out")
    func divergedHeader() throws {
        let (server, one, two) = try pair()
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let honest = server.contents
        for number in 1...2 { _ = try TestDevice.on(server, enrolledBy: two, named: "two's \(number)") }
        let branch = server.contents.headers
        server.contents = honest
        _ = try TestDevice.on(server, enrolledBy: one, named: "one's")
        server.contents.headers = branch
        let records = server.contents.records
        let store = one.store()
        #expect(try store.payload(sharedKey) == payload)
        #expect(try store.status(by: .patient).fleet?.isAway == true)
        #expect(failure { _ = try one.fleet.devices(by: .patient) }?.code == .divergedHeader)
        #expect(failure { try store.change(sharedKey, .write([1])) }?.code == .divergedHeader)
        #expect(server.contents.records == records)
        // A sign-out needs nobody's consent.
        try store.change(sharedKey, .delete)
        #expect(try store.payload(sharedKey) == nil && one.store().payload(sharedKey) == nil)
        #expect(try store.status(by: .patient).fleet?.pendingSignOuts == 1)
        #expect(server.contents.records == records)
    }

    @Test("A server that withholds notifications delays a change by at most the next read")
    func withheldNotifications() throws {
        let (server, one, two) = try pair()
        server.withholdsChanges = true
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
            let records = server.contents.records.filter { $0.value.sealed != nil }
            #expect(records.count == 2)
            for (name, record) in records {
                let format = name == Enrolment.host ? 0 : 23
                #expect((try #require(record.sealed).count - format - 28) % 512 == 0)
            }
        }
        let stored = server.contents.headers.flatMap(\.self) + server.contents.records.keys.flatMap(\.self)
        let text = String(decoding: stored, as: UTF8.self)
        #expect(!text.contains("first") && !text.contains("second") && !text.contains("group.example"))
    }
}

extension LocalRecords {
    fileprivate var latestHeader: Int? { (try? device(by: .patient))?.header.number }
}
