import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests roles that one device has alone.
struct DeviceRoleTests {
    private let person: PostgresFleet

    init() throws { person = try PostgresFleet() }

    @Test("A device tells the server its id, once, and shares the person's records", .timeLimit(.minutes(2)))
    func ids() throws {
        let all = try person.devices(2)
        let (one, two) = (all[0], all[1])
        let payload = try UserRecords.signedIn("alice")
        try one.device.store().change(sharedKey, .write(payload))
        #expect(try two.device.store().payload(sharedKey) == payload)
        for (device, address) in all { #expect(try person.noted("id", address.role) == device.id) }
        // Another installation with the role, and statements by hand.
        let again = TestDevice()
        try one.device.enrol(again, named: "again", at: two.address)
        #expect(try again.store().payload(sharedKey) == payload)
        try person.attack("SELECT sharedauth_fleet.note_device('other')", as: two.address.role)
        #expect(try person.noted("id", two.address.role) == two.device.id)
        #expect(try person.noted("id", one.address.role) == one.device.id)
        // The person's own role works as before.
        let third = TestDevice()
        try one.device.enrol(third, named: "third", at: person.address)
        #expect(try third.store().payload(sharedKey) == payload)
        let roles = try one.device.fleet.roles(by: .patient)
        #expect(roles.map(\.name) == [person.role] + [one.address.role, two.address.role].sorted())
        #expect(roles.map(\.isDevices) == [false, true, true])
    }

    @Test("A removed device's role is refused at its next statement, in open sessions, too", .timeLimit(.minutes(2)))
    func removal() throws {
        let server = try PrivatePostgres(settings: ["track_commit_timestamp = on"])
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let all = try person.devices(3)
        let (one, two, thief) = (all[0], all[1], all[2])
        let payload = try UserRecords.signedIn("alice")
        for (device, _) in all.reversed() { _ = try device.store().payload(sharedKey) }
        try one.device.store().change(sharedKey, .write(payload))
        let open = try PostgresServer(address: thief.address).session(by: .patient)
        defer { open.close() }
        #expect(try open.lastHeader(by: .patient) != nil)
        let shown = thief.device.store()
        #expect(try shown.payload(sharedKey) == payload)

        #expect(try one.device.fleet.remove(try thief.device.id, by: .patient).map(\.uid) == ["alice"])
        // In one transaction with the list.
        let transactions = try server.administer(
            """
            SELECT count(DISTINCT pg_xact_commit_timestamp(xmin)), count(*) FROM (
                SELECT xmin FROM sharedauth_fleet.device WHERE removed IS NOT NULL
                UNION ALL (SELECT xmin FROM sharedauth_fleet.header ORDER BY number DESC LIMIT 1)
            ) AS rows
            """
        )
        #expect(transactions == "1|2")
        #expect(try open.lastHeader(by: .patient) == nil)
        #expect(try open.records(after: [], by: .patient).isEmpty)
        #expect(try open.roles(by: .patient).isEmpty)
        expectFailure(\FleetError.code, .noPerson) { try open.add(header: [1], at: 500, by: .patient) }
        let error = expectFailure(\FleetError.code, .noPerson) { _ = try thief.device.fleet.devices(by: .patient) }
        #expect(error?.message.contains("removed") == true)
        // It shows its copy: nothing proves to it that it was removed.
        #expect(try shown.payload(sharedKey) == payload)
        #expect(try shown.status(by: .patient).fleet?.isAway == true)
        for statement in [
            "INSERT INTO sharedauth_fleet.record (name) VALUES (decode(repeat('00', 32), 'hex'))",
            "INSERT INTO sharedauth_fleet.turn (name) VALUES (decode(repeat('00', 32), 'hex'))",
            "SET ROLE sharedauth_person; INSERT INTO sharedauth_fleet.header (number, body) VALUES (500, '')",
        ] {
            #expect(person.refusal(of: statement, as: thief.address.role) == "42501", "\(statement)")
        }
        try person.attack(
            """
            SELECT sharedauth_fleet.delete_records(); SELECT sharedauth_fleet.note_device('x');
            SELECT sharedauth_fleet.remove_device('\(try two.device.id)');
            """,
            as: thief.address.role
        )
        try two.device.store().change(sharedKey, .write(payload))
        #expect(try one.device.store().payload(sharedKey) == payload)
        #expect(try person.noted("removed IS NULL", two.address.role) == "t")
    }

    @Test("No role marks another person's device, or its own", .timeLimit(.minutes(2)))
    func marks() throws {
        let neighbour = try PostgresFleet()
        let (own, other) = (try person.devices(2), try neighbour.devices(1)[0])
        for id in [try other.device.id, try own[1].device.id] {
            try person.attack("SELECT sharedauth_fleet.remove_device('\(id)')", as: own[1].address.role)
        }
        #expect(try neighbour.noted("removed IS NULL", other.address.role) == "t")
        #expect(try person.noted("removed IS NULL", own[1].address.role) == "t")
        let seen = try person.server.administer(
            "SET SESSION AUTHORIZATION \(own[1].address.role); SELECT count(*) FROM sharedauth_fleet.device"
        )
        #expect(seen == "2")
        // A role that marks others first: the administrator undoes it.
        try person.attack("SELECT sharedauth_fleet.remove_device('\(try own[0].device.id)')", as: own[1].address.role)
        expectFailure(\FleetError.code, .noPerson) { _ = try own[0].device.fleet.devices(by: .patient) }
        let roles = try own[1].device.fleet.roles(by: .patient)
        let devices = try own[1].device.fleet.devices(by: .patient)
        let finding = Fleet.findings(roles, of: devices, own: own[1].address.role)
        #expect(
            finding.contains { if case .refused(let role) = $0 { role.name == own[0].address.role } else { false } }
        )
        try person.server.administer(
            try Article.statements("SET removed = NULL", for: person.role, device: own[0].address.role)
        )
        #expect(try own[0].device.fleet.devices(by: .patient).count == 2)
        #expect(try person.noted("id", own[0].address.role) == own[0].device.id)
    }

    @Test("Roles that tell the same id are removed together, but not the remover's", .timeLimit(.minutes(2)))
    func sameIDs() throws {
        let all = try person.devices(3)
        let id = try all[2].device.id
        for (device, _) in all { _ = try device.fleet.devices(by: .patient) }
        try person.server.administer(
            """
            UPDATE sharedauth_fleet.device SET id = '\(id)' WHERE role_name IN ('\(all[0].address.role)',
            '\(all[1].address.role)')
            """
        )
        try all[0].device.fleet.remove(id, by: .patient)
        #expect(
            try all.map { try person.noted("removed IS NULL", $0.address.role) } == ["t", "f", "f"]
        )
        #expect(try all[0].device.fleet.devices(by: .patient).count == 2)
    }

    @Test("A role whose row is held is not waited for, and the device is removed", .timeLimit(.minutes(2)))
    func heldRow() throws {
        let all = try person.devices(3)
        for (device, _) in all { _ = try device.fleet.devices(by: .patient) }
        let accomplice = try PostgresServer(address: all[1].address, turnLimit: .seconds(3600)).session(by: .patient)
        defer { accomplice.close() }
        try accomplice.begin(by: .patient)
        try accomplice.removeRoles(of: try all[2].device.id, by: .patient)
        try all[0].device.fleet.remove(try all[2].device.id, by: .patient)
        #expect(try all[0].device.fleet.devices(by: .patient).count == 2)
        try accomplice.rollback(by: .patient)
        let found = Fleet.findings(
            try all[0].device.fleet.roles(by: .patient),
            of: try all[0].device.fleet.devices(by: .patient),
            own: all[0].address.role
        )
        #expect(found.contains { if case .unlisted(let role) = $0 { role.name == all[2].address.role } else { false } })
    }

    @Test("A device's role with another identity or another name is nobody", .timeLimit(.minutes(2)))
    func identity() throws {
        let one = try person.devices(1)[0]
        let role = one.address.role
        let other = person.server.newRole()
        try person.server.administer("ALTER ROLE \(role) RENAME TO \(other)")
        #expect(
            person.refusal(of: "INSERT INTO sharedauth_fleet.header (number, body) VALUES (9, '')", as: other)
                == "42501"
        )
        try person.server.administer("CREATE ROLE \(role) LOGIN IN ROLE sharedauth_person")
        expectFailure(\FleetError.code, .noPerson) { _ = try one.device.fleet.devices(by: .patient) }
        try person.server.administer("DROP ROLE \(role); ALTER ROLE \(other) RENAME TO \(role)")
        #expect(try one.device.fleet.devices(by: .patient).count == 1)
        // A person's role that is also a device's is that device.
        try person.server.administer(
            """
            INSERT INTO sharedauth_fleet.device (person, role, removed)
            SELECT id, role, now() FROM sharedauth_fleet.person WHERE role_name = '\(person.role)'
            """
        )
        #expect(person.refusal(of: "INSERT INTO sharedauth_fleet.header (number, body) VALUES (9, '')") == "42501")
    }

    @Test("What is told about roles follows from the list of devices")
    func findings() {
        let listed = ["a", "b"].map { Fleet.Device(id: $0, name: $0, isThisDevice: $0 == "a") }
        func role(_ name: String, _ device: String?, removed: Bool = false, withdrawn: Bool = false) -> Fleet.Role {
            .init(name: name, isDevices: true, device: device, isRemoved: removed, isWithdrawn: withdrawn)
        }
        func found(_ roles: Fleet.Role...) -> [Fleet.RoleFinding] { Fleet.findings(roles, of: listed, own: "own") }
        let (own, other) = (role("own", "a"), role("other", "b"))
        #expect(found().isEmpty && found(own).isEmpty && found(own, other).isEmpty)
        for withdrawn in [false, true] {
            let person = Fleet.Role(name: "p", isDevices: false, device: nil, isRemoved: false, isWithdrawn: withdrawn)
            #expect(found(person).isEmpty && found(person, own).isEmpty)
            #expect(found(person, own, other) == (withdrawn ? [] : [.sharedRole(person)]))
        }
        let gone = role("gone", "c", removed: true, withdrawn: true)
        #expect(found(own, gone) == [.withdrawn(gone)])
        let open = role("open", "c", removed: true)
        #expect(found(own, open) == [.notWithdrawn(open)])
        let blank = role("blank", nil, removed: true)
        #expect(found(own, blank) == [.notWithdrawn(blank)])
        #expect(found(own, role("old", "c")) == [.unlisted(role("old", "c"))])
        #expect(found(own, role("new", nil)) == [.unused(role("new", nil))])
        let refused = role("other", "b", removed: true)
        #expect(found(own, refused) == [.refused(refused)])
        #expect(found(own, refused, role("next", "b")) == [.notWithdrawn(refused)])
        #expect(found(role("own", "c"), other) == [.formerDevice(role("own", "c"))])
        #expect(found(own, other, role("twin", "b")) == [.sameDevice(other), .sameDevice(role("twin", "b"))])
    }
}
