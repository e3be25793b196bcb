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
        var devices = [(device: TestDevice(), address: try deviceAddress())]
        try devices[0].device.fleet.begin(at: devices[0].address, deviceName: "device 1", by: .patient)
        while devices.count < count {
            let next = (device: TestDevice(), address: try deviceAddress())
            let name = "device \(devices.count + 1)"
            try devices[devices.count - 1].device.enrol(next.device, named: name, at: next.address)
            devices.append(next)
        }
        return devices
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
