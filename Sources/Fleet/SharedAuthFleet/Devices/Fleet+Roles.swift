package import DesktopSupport

extension Fleet {
    /// A role of the person at the server, or a role that one of the person's devices has alone.
    package struct Role: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// Indicates whether a device has it alone.
        package let isDevices: Bool
        /// The id of that device, as it told the server; nil if it has not.
        package let device: String?
        /// Indicates whether the server refuses it because its device was removed.
        package let isRemoved: Bool
        /// Indicates whether the administrator withdrew it: no session has it, and none can begin. Certificates are not
        /// looked at.
        package let isWithdrawn: Bool

        package init(name: String, isDevices: Bool, device: String?, isRemoved: Bool, isWithdrawn: Bool) {
            (self.name, self.isDevices, self.device) = (name, isDevices, device)
            (self.isRemoved, self.isWithdrawn) = (isRemoved, isWithdrawn)
        }
    }

    /// A fact about a role that the person or the administrator should know.
    package enum RoleFinding: Sendable, Hashable {
        /// The role of a removed device was withdrawn.
        case withdrawn(Role)
        /// The role of a removed device can still connect.
        case notWithdrawn(Role)
        /// The server serves the role of a device that the fleet does not list.
        case unlisted(Role)
        /// No device uses the role so far.
        case unused(Role)
        /// The server refuses the role of a device that the fleet lists.
        case refused(Role)
        /// The server takes this device for the one that had the role before.
        case formerDevice(Role)
        /// Another role has the same device.
        case sameDevice(Role)
        /// Every device has a role alone, and the person's can still log in.
        case sharedRole(Role)
    }

    /// Returns the roles of the person and of the person's devices, as the server tells of them: that of the person first.
    /// A server whose schema has version 2 knows none.
    ///
    /// - Throws: The errors of ``devices(by:)``.
    package func roles(by deadline: Deadline) throws(FleetError) -> [Role] {
        try withMembership(by: deadline) { membership throws(FleetError) in
            try membership.session.roles(by: deadline).map { role in
                Role(
                    name: role.name,
                    isDevices: role.isDevices,
                    device: role.device,
                    isRemoved: role.isRemoved,
                    isWithdrawn: !role.canLogIn && role.sessions == 0
                )
            }
        }
    }

    /// Returns what is to be known about roles.
    ///
    /// - Parameters:
    ///   - devices: The devices that the fleet lists.
    ///   - own: The role with which this device connects.
    package static func findings(_ roles: [Role], of devices: [Device], own: String) -> [RoleFinding] {
        let listed = Set(devices.map(\.id))
        let served = roles.filter { $0.isDevices && !$0.isRemoved }
        var findings = roles.filter(\.isDevices).compactMap { role -> RoleFinding? in
            guard let device = role.device else {
                if role.isRemoved { return role.isWithdrawn ? .withdrawn(role) : .notWithdrawn(role) }
                return .unused(role)
            }
            if role.isRemoved {
                if listed.contains(device), !served.contains(where: { $0.device == device }) { return .refused(role) }
                return role.isWithdrawn ? .withdrawn(role) : .notWithdrawn(role)
            }
            if role.name == own, devices.contains(where: { $0.isThisDevice && $0.id != device }) {
                return .formerDevice(role)
            }
            if !listed.contains(device) { return .unlisted(role) }
            return served.contains { $0.device == device && $0.name != role.name } ? .sameDevice(role) : nil
        }
        let haveOwn = !listed.isEmpty && listed.isSubset(of: served.compactMap(\.device))
        if haveOwn, let person = roles.first(where: { !$0.isDevices }), !person.isWithdrawn {
            findings.append(.sharedRole(person))
        }
        return findings
    }
}
