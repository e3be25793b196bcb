import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what a device remembers of the fleet's lists of devices.
struct DeviceMemoryTests {
    private let server = HostileServer()
    private let address = ServerAddress(host: "server.example", database: "fleet", role: "alice")

    /// Adds this many devices to the fleet, one by one.
    private func addLists(_ count: Int, by device: TestDevice) throws {
        let device = try #require(try device.records.device(by: .patient))
        let keys = try device.header.keys(for: device.keys)
        var header = device.header
        for number in 1...count {
            header = try header.admitting(NewDevice(DeviceKeys(), named: "\(number)"), by: device.keys, keys)
            server.contents.headers.append(header.bytes)
        }
    }

    @Test("The memory of a fleet of many devices fits into the local store")
    func manyDevices() throws {
        let one = try TestDevice.on(server)
        let early = try TestDevice.on(server, enrolledBy: one, named: "early")
        try addLists(100, by: one)
        #expect(try one.fleet.devices(by: .patient).count == 102)
        let device = try #require(try one.records.device(by: .patient))
        #expect(device.chain.count > 1 && device.former.count == 64)
        let bytes = device.chain.map(\.bytes.count)
        #expect(bytes.dropLast().reduce(0, +) <= FleetDevice.mostChainBytes)
        #expect(bytes.reduce(0, +) > FleetDevice.mostChainBytes)
        let stored = try #require(try one.local.payload(one.records.deviceKey))
        #expect(stored.count < 300 << 10)
        // A device that was away for all of it catches up, and the fleet's commands work.
        try early.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        #expect(try early.records.device(by: .patient)?.header == device.header)
        try one.fleet.remove(try #require(early.records.device(by: .patient)?.keys.id), by: .patient)
        #expect(failure { _ = try early.store().payload(sharedKey) }?.code == .removed)
    }

    @Test("A server that has lost more lists than a device keeps is reported")
    func lostLists() throws {
        let one = try TestDevice.on(server)
        try addLists(80, by: one)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let (device, whole) = (try #require(try one.records.device(by: .patient)), server.contents)
        let last = whole.headers.count
        for kept in [last - device.chain.count + 1, last - device.chain.count] {
            server.contents.headers = Array(whole.headers.prefix(kept))
            try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
            #expect(server.contents.headers == whole.headers)
        }
        for kept in [last - device.chain.count - 1, last - device.chain.count - 60] {
            server.contents.headers = Array(whole.headers.prefix(kept))
            #expect(failure { _ = try one.fleet.inviteDevice(by: .patient) }?.code == .divergedHeader)
            #expect(server.contents.headers.count == kept)
        }
    }

    @Test("A device that lacks lists between its own and later ones adds nothing")
    func outdated() throws {
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        #expect(try two.store().payload(sharedKey) == payload)
        let seen = server.contents.headers.count
        try addLists(4, by: one)
        let whole = server.contents
        // The server no longer has the next list, or those up to it.
        for first in [seen, 0] {
            server.contents = whole
            for slot in first...seen { server.contents.headers[slot] = [] }
            let present = server.contents
            let store = two.store()
            #expect(try store.payload(sharedKey) == payload)
            #expect(failure { _ = try two.fleet.inviteDevice(by: .patient) }?.code == .outdated)
            #expect(failure { try store.change(sharedKey, .write([1])) }?.code == .outdated)
            #expect(server.contents.headers == present.headers && server.contents.records == present.records)
        }
        // It follows as far as it can, and all of it once the list is there.
        server.contents = whole
        server.contents.headers[seen + 2] = []
        #expect(failure { _ = try two.fleet.devices(by: .patient) }?.code == .outdated)
        #expect(try two.records.device(by: .patient)?.header.number == seen + 2)
        server.contents = whole
        #expect(try two.fleet.devices(by: .patient).count == 6)
    }

    @Test("The author of a later list counts, unless each device has its own role")
    func laterAuthors() throws {
        let one = try TestDevice.on(server)
        let device = try #require(try one.records.device(by: .patient))
        let header = device.header
        let (own, foreign) = (device.keys, DeviceKeys())
        let known = try header.forgingLater(number: header.number + 3, by: own).bytes
        let unknown = try header.forgingLater(number: header.number + 3, by: foreign).bytes
        let others = [
            try header.forgingLater(number: header.number, by: foreign).bytes,
            try FleetHeader.founding(number: header.number + 3, by: foreign, named: "other").header.bytes, [1, 2],
        ]
        func code(_ shown: [[UInt8]], isListed: Bool, hasOwnRole: Bool) -> FleetError.Code? {
            failure {
                _ = try device.headersMissing(besides: isListed ? [header.digest] : [], shown, hasOwnRole: hasOwnRole)
            }?.code
        }
        for isListed in [false, true] {
            for hasOwnRole in [false, true] {
                #expect(code([known], isListed: isListed, hasOwnRole: hasOwnRole) == .outdated)
                #expect(
                    code([unknown], isListed: isListed, hasOwnRole: hasOwnRole)
                        == (hasOwnRole && !isListed ? .outdated : nil)
                )
                #expect(code(others, isListed: isListed, hasOwnRole: hasOwnRole) == nil)
            }
        }
    }

    @Test("A change of the fleet that the local store refuses to remember is not made")
    func ownChange() throws {
        let store = FaultInjectingStore(InMemoryRecordStore())
        let records = LocalRecords(store, machineID: "machine")
        let fleet = Fleet(records) { [server] _ in server }
        try fleet.begin(at: address, deviceName: "one", by: .patient)
        let two = TestDevice { [server] _ in server }
        try fleet.enrol(two.fleet, named: "two", at: address)
        let (headers, removed) = (server.contents.headers, try #require(try two.records.device(by: .patient)).keys.id)
        store.fail(.write, of: records.deviceKey, with: RecordStoreError(.full, "The test's disk is full."))
        let third = TestDevice { [server] _ in server }
        func enrolThird() throws { try fleet.enrol(third.fleet, named: "third", at: address) }
        for change in [{ try fleet.remove(removed, by: .patient) }, enrolThird] as [() throws -> Void] {
            let error = try #require(failure(change))
            #expect(error.code == .failed && error.message.contains("The test's disk is full."), "\(error)")
            #expect(server.contents.headers == headers)
        }
        #expect(try third.fleet.enrolment(by: .patient) == nil)
        store.mend()
        try fleet.remove(removed, by: .patient)
        try enrolThird()
        #expect(server.contents.headers.count == headers.count + 2)
    }

    @Test("Commands report a list that the local store refuses; users stay readable")
    func refused() throws {
        let store = FaultInjectingStore(InMemoryRecordStore())
        let records = LocalRecords(store, machineID: "machine")
        let fleet = Fleet(records) { [server] _ in server }
        try fleet.begin(at: address, deviceName: "one", by: .patient)
        let two = TestDevice { [server] _ in server }
        try fleet.enrol(two.fleet, named: "two", at: address)
        let payload = try UserRecords.signedIn("alice")
        try two.store().change(sharedKey, .write(payload))
        _ = try TestDevice.on(server, enrolledBy: two, named: "third")
        store.fail(.write, of: records.deviceKey, with: RecordStoreError(.full, "The test's disk is full."))
        let shared = FleetRecordStore(records) { [server] _ in server }
        #expect(try shared.payload(sharedKey) == payload)
        let error = try #require(failure { _ = try fleet.devices(by: .patient) })
        #expect(error.code == .failed && error.message.contains("The test's disk is full."), "\(error)")
        store.mend()
        #expect(try fleet.devices(by: .patient).count == 3)
    }
}
