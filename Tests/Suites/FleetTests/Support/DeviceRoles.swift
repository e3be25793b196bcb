import SharedAuthRecords
import TestSupport

@testable import SharedAuthFleet

extension PostgresFleet {
    /// The address for a new role of one device of the person.
    func deviceAddress() throws -> ServerAddress {
        var address = address
        address.role = server.newRole()
        try server.administer(
            """
            CREATE ROLE \(address.role) LOGIN IN ROLE sharedauth_person;
            INSERT INTO sharedauth_fleet.device (person, role)
            SELECT id, '\(address.role)' FROM sharedauth_fleet.person WHERE role_name = '\(role)';
            """
        )
        return address
    }

    /// Devices that have a role each.
    func devices(_ count: Int) throws -> [(device: TestDevice, address: ServerAddress)] {
        let first = (TestDevice(), try deviceAddress())
        try first.0.fleet.begin(at: first.1, deviceName: "device 1", by: .patient)
        return try [first]
            + (2...max(2, count)).prefix(count - 1).map { number in
                let next = (TestDevice(), try deviceAddress())
                try first.0.enrol(next.0, named: "device \(number)", at: next.1)
                return next
            }
    }

    /// A column of the rows of a role's device.
    func noted(_ expression: String, _ role: String) throws -> String {
        try server.administer("SELECT \(expression) FROM sharedauth_fleet.device WHERE role_name = '\(role)'")
    }

    /// Sets the person's room.
    func setRoom(_ expression: String) throws {
        try server.administer(
            "UPDATE sharedauth_fleet.person SET room = \(expression) WHERE role = '\(role)'::regrole"
        )
    }

    /// Performs statements as a role.
    func attack(_ statements: String, as role: String) throws {
        try server.administer("SET SESSION AUTHORIZATION \(role);\n\(statements)")
    }

    /// The SQLSTATE with which a statement of a role is refused; nil if it is not.
    func refusal(of statements: String..., as role: String) -> String? {
        PostgresFleet(of: role, on: server).refusal(of: statements.joined(separator: "; "))
    }
}

extension TestDevice {
    /// The device's id.
    var id: String {
        get throws { try records.device(by: .patient)?.keys.id ?? "" }
    }
}
