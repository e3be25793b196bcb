import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests the room for lists of devices on a server.
struct ListRoomTests {
    private let person: PostgresFleet

    init() throws { person = try PostgresFleet() }

    /// The lists that a role added, or all of the person's: number, digest and order.
    private func lists(of role: String? = nil) throws -> [String] {
        try person.server.administer(
            """
            SELECT number, md5(body), ordinal FROM sharedauth_fleet.header h
            JOIN sharedauth_fleet.person p ON p.id = person WHERE role_name = '\(person.role)' AND \(role.map { "h.role = '\($0)'" } ?? "true") ORDER BY number
            """
        ).split(separator: "\n").map(String.init)
    }

    /// The bytes that the lists of a role take.
    private func taken(by role: String) throws -> Int {
        let text = try person.server.administer(
            "SELECT sum(octet_length(body) + 64) FROM sharedauth_fleet.header WHERE role = '\(role)'"
        )
        return try #require(Int(text))
    }

    @Test("The oldest lists that a role added go, and devices are enrolled and removed", .timeLimit(.minutes(3)))
    func pruning() throws {
        let all = try person.devices(3)
        let (one, two, away) = (all[0], all[1], all[2])
        let payload = try UserRecords.signedIn("alice")
        try one.device.store().change(sharedKey, .write(payload))
        #expect(try away.device.store().payload(sharedKey) == payload)
        let others = try lists(of: two.address.role) + lists(of: away.address.role)
        try person.setRoom("8000")
        for number in 1...8 {
            let third = TestDevice()
            try one.device.enrol(third, named: "third", at: try person.deviceAddress())
            #expect(try two.device.fleet.devices(by: .patient).count == 4)
            try one.device.fleet.remove(try third.id, by: .patient)
            try one.device.store().change(sharedKey, .write(payload))
            #expect(try two.device.store().payload(sharedKey) == payload, "round \(number)")
            #expect(try taken(by: one.address.role) <= 8000)
        }
        #expect(try lists(of: two.address.role) + lists(of: away.address.role) == others)

        // A device that was away for all of it adds nothing, and shows its copy.
        let present = try lists()
        let error = expectFailure(\FleetError.code, .outdated) { _ = try away.device.fleet.devices(by: .patient) }
        #expect(error?.remedy?.contains("leave") == true)
        let store = away.device.store()
        #expect(try store.payload(sharedKey) == payload)
        #expect(try store.status(by: .patient).fleet?.isAway == true)
        #expect(failure { try store.change(sharedKey, .write(payload)) }?.code == .outdated)
        #expect(try lists() == present)
        try store.change(sharedKey, .delete)
        #expect(try store.payload(sharedKey) == nil)
        try away.device.fleet.leave(by: .patient)
        try two.device.enrol(away.device, named: "again", at: away.address)
        #expect(try away.device.store().payload(sharedKey) == payload)
        #expect(try one.device.fleet.devices(by: .patient).map(\.name).suffix(1) == ["again"])
    }

    @Test("A list that is larger than the room is kept", .timeLimit(.minutes(2)))
    func largeList() throws {
        let all = try person.devices(2)
        // The letters of an enrolment need some room for records.
        try person.setRoom("1200")
        let third = TestDevice()
        try all[0].device.enrol(third, named: "third", at: try person.deviceAddress())
        #expect(try lists(of: all[0].address.role).count == 1)
        // It has seen the list before.
        #expect(try third.fleet.devices(by: .patient).count == 3)
        try all[0].device.fleet.remove(try all[1].device.id, by: .patient)
        #expect(try lists(of: all[0].address.role).count == 1)
        #expect(try third.fleet.devices(by: .patient).count == 2)
    }

    /// Statements that fill the room, from the last slot down, and in the next ones.
    private static func flood(_ next: Int, round: Int = 1) -> String {
        """
        INSERT INTO sharedauth_fleet.header (number, body)
        SELECT 2147483648 - 30 * \(round) + n, decode(repeat('00', 900), 'hex') FROM generate_series(0, 29) AS n;
        INSERT INTO sharedauth_fleet.header (number, body)
        SELECT n, decode(repeat('01', 900), 'hex') FROM generate_series(\(next), \(next + 30)) AS n
        ON CONFLICT DO NOTHING;
        """
    }

    @Test("A device with its own role pushes out no list of others", .timeLimit(.minutes(3)))
    func foreignFlood() throws {
        let all = try person.devices(3)
        let (one, two, thief) = (all[0], all[1], all[2])
        let payload = try UserRecords.signedIn("alice")
        try one.device.store().change(sharedKey, .write(payload))
        _ = try two.device.store().payload(sharedKey)
        _ = try thief.device.store().payload(sharedKey)
        try person.setRoom("10000")
        let others = try lists(of: one.address.role) + lists(of: two.address.role)
        let header = try #require(one.device.records.device(by: .patient)?.header)
        try person.attack(Self.flood(header.number + 1), as: thief.address.role)
        #expect(try taken(by: thief.address.role) <= 10_000)
        #expect(try lists(of: one.address.role) + lists(of: two.address.role) == others)
        #expect(try two.device.store().payload(sharedKey) == payload)
        try one.device.fleet.remove(try thief.device.id, by: .patient)
        #expect(try two.device.store().payload(sharedKey) == nil)
        try two.device.store().change(sharedKey, .write(payload))
        let third = TestDevice()
        try two.device.enrol(third, named: "third", at: try person.deviceAddress())
        #expect(try third.store().payload(sharedKey) == payload)
        #expect(try one.device.store().payload(sharedKey) == payload)
    }

    @Test("Devices add again what a removed one with their role pushed out", .timeLimit(.minutes(3)))
    func ownFlood() throws {
        let (one, two, three, thief) = (try person.firstDevice(), TestDevice(), TestDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        try one.enrol(thief, named: "thief", at: person.address)
        let former = try #require(try one.records.device(by: .patient))
        try one.fleet.remove(try thief.id, by: .patient)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        #expect(try two.store().payload(sharedKey) == payload)
        try person.setRoom("12000")
        let keys = try #require(try thief.records.device(by: .patient)?.keys)

        var round = 0
        func flood() throws {
            round += 1
            let next = try #require(one.records.device(by: .patient)?.header).number + 1
            try person.attack(Self.flood(next, round: round))
            // A list that claims to be a late one of the fleet, by the removed device.
            let forged = try former.header.forgingLater(number: 100_000 + round, by: keys)
            try person.attack(
                """
                INSERT INTO sharedauth_fleet.header (number, body)
                VALUES (\(100_000 + round), '\(forged.bytes.literal)')
                """
            )
        }
        func isThere() throws -> Bool {
            let header = try #require(one.records.device(by: .patient)?.header)
            return try person.server.administer(
                "SELECT count(*) FROM sharedauth_fleet.header WHERE body = '\(header.bytes.literal)'"
            ) == "1"
        }
        try flood()
        #expect(try !isThere())
        #expect(try one.store().payload(sharedKey) == payload)
        #expect(try isThere())
        #expect(try two.store().payload(sharedKey) == payload)
        try flood()
        #expect(try two.fleet.devices(by: .patient).count == 2)
        #expect(try isThere())
        try one.enrol(three, named: "three", at: person.address)
        #expect(try three.store().payload(sharedKey) == payload)
        // Only the device that joined has the list from its beginning.
        try flood()
        #expect(try three.fleet.devices(by: .patient).count == 3)
        try one.fleet.remove(try three.id, by: .patient)
        try flood()
        #expect(try one.store().payload(sharedKey) == nil)
        #expect(try isThere())
        #expect(try two.store().payload(sharedKey) == nil)
        #expect(failure { _ = try three.store().payload(sharedKey) }?.code == .removed)
        #expect(try two.fleet.devices(by: .patient).map(\.name) == ["first", "second"])
    }

    @Test(
        "Connections that add lists at the same time wait for a slot at most",
        .timeLimit(.minutes(2))
    )
    func sameTime() throws {
        let address = try person.deviceAddress()
        try person.setRoom("5000")
        let sessions = try (0..<3).map { _ in try PostgresServer(address: address).connect(by: .patient) }
        defer { for session in sessions { session.close() } }
        let bytes = [UInt8](repeating: 1, count: 1000)
        for slot in 1...4 { try sessions[0].add(header: bytes, at: slot, by: .patient) }
        // Each deletes the oldest; the first holds them.
        for (number, session) in sessions.enumerated() {
            try session.begin(by: .patient)
            for slot in 1...2 {
                try session.add(header: bytes, at: 10 * (number + 1) + slot, by: .after(.seconds(5)))
            }
        }
        let listed = try sessions[0].listHeaders(after: 0, by: .patient)
        for session in sessions { try session.commit(by: .patient) }
        #expect(listed.count == 4)
        // The next one leaves the room's worth.
        try sessions[1].add(header: bytes, at: 40, by: .patient)
        #expect(try sessions[2].listHeaders(after: 0, by: .patient).map(\.slot) == [22, 31, 32, 40])
        // What was listed and is gone is absent.
        #expect(try sessions[2].headers(listed, by: .patient).isEmpty)
    }

    @Test("A role that adds much in one statement keeps no more than the room", .timeLimit(.minutes(2)))
    func oneStatement() throws {
        try person.setRoom("5000")
        try person.attack(
            """
            INSERT INTO sharedauth_fleet.header (number, body)
            SELECT n, decode(repeat('00', 936), 'hex') FROM generate_series(1, 500) AS n
            """
        )
        #expect(try taken(by: person.role) == 5000)
        #expect(try lists().map { $0.prefix { $0 != "|" } } == ["496", "497", "498", "499", "500"])
    }
}

extension FleetHeader {
    /// A list of this fleet with another number, which a device signs.
    func forgingLater(number: Int, by device: DeviceKeys) throws -> FleetHeader {
        let body = Body(
            fleet: fleet,
            number: number,
            epoch: body.epoch,
            devices: body.devices,
            previous: digest,
            author: device.id
        )
        return try FleetHeader(body, signedBy: device)
    }
}
