internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import SharedAuthFleet

/// Begins a fleet.
struct Begin: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Begin a fleet, with this device as its first.",
        discussion: """
            Sign-ins in access groups are then shared with the devices that you enrol. If users are signed in on this \
            device already, the verb asks whether to share them or to sign them out; --local-users gives the choice.
            """
    )

    @OptionGroup var server: AddressOptions
    @OptionGroup var local: LocalUserOptions
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let (fleet, store) = try options.fleetAndStore()
        let address = try server.address()
        let users = try local.choice(for: fleet, options)
        try fleet.begin(at: address, deviceName: server.deviceName, by: .ofVerb)
        if let users { try local.settle(users, in: fleet, store, options) }
        try StandardOutput.writeDevice(server.deviceName, asJSON: options.json)
    }
}

/// Enrols a device: issues a code, or uses one.
struct Enrol: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Issue a code for a new device, and wait for it; with --host, make this device the new one.",
        discussion: """
            On a device of the fleet, prints a code of 26 letters and digits, and waits until a device has joined with \
            it: for an hour, or until the next code is issued. Any device that has the code can join meanwhile, so give \
            it only to the new device. The code is void when the verb has ended.

            On the new device, give --host and --database; the code is read from standard input, as its first line. If \
            users are signed in on the new device already, the verb asks whether to share them or to sign them out; \
            --local-users gives the choice.
            """
    )

    @OptionGroup var server: AddressOptions
    @OptionGroup var local: LocalUserOptions
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let (fleet, store) = try options.fleetAndStore()
        guard server.host != nil else {
            return try admitDevice(to: fleet)
        }
        let address = try server.address()
        let users = try local.choice(for: fleet, options)
        let code = try EnrolmentCode(try Terminal.hiddenLine("enrolment code", asking: "Enrolment code"))
        try fleet.join(at: address, with: code, deviceName: server.deviceName, by: .ofVerb)
        if let users { try local.settle(users, in: fleet, store, options) }
        try StandardOutput.writeDevice(server.deviceName, asJSON: options.json)
    }

    /// Shows a code, and waits for the device that has it.
    private func admitDevice(to fleet: SharedAuthFleet.Fleet) throws {
        let invitation = try fleet.inviteDevice(by: .ofVerb)
        let code = invitation.code.text
        try StandardOutput.write(line: options.json ? try JSONValue.object(["code": .string(code)]).text : code)
        while true {
            guard let device = try invitation.admitDevice(by: .after(.seconds(3600))) else { continue }
            if options.json {
                let members: [String: JSONValue] = ["device": .string(device.name), "id": .string(device.id)]
                return try StandardOutput.write(line: try JSONValue.object(members).text)
            }
            return try StandardOutput.write(line: "\(device.name) is in the fleet now.")
        }
    }
}

/// Forgets the fleet on this device.
struct Leave: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Make this device forget the fleet, its keys, and the shared sign-ins.",
        discussion: """
            The shared users are signed out here; with --keep-users, they stay signed in on this device alone. Other \
            devices stay signed in. With an issuer that replaces refresh tokens, do not keep users whom others use: \
            the session ends when both have refreshed it.

            The device stays in the fleet's list until another device runs revoke. Works without the server.
            """
    )

    @Flag(help: "Keep the shared users signed in on this device alone.") var keepUsers = false
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let fleet = try options.fleet()
        try keepUsers ? fleet.leaveKeepingUsers(by: .ofVerb) : fleet.leave(by: .ofVerb)
    }
}

/// Begins the fleet anew.
struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Begin your fleet anew with this device alone, when all other devices are lost.",
        discussion: """
            Signs out on all devices if this is one of the fleet's. Every other device must run leave, and be enrolled \
            again.
            """
    )

    @OptionGroup var server: AddressOptions
    @Flag(help: "Do not ask for a confirmation.") var yes = false
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let address = try server.address()
        if !yes {
            try Terminal.confirm(
                "This begins a fleet without the other devices, and removes what they share. Continue?",
                orGive: "--yes"
            )
        }
        try options.fleet().reset(at: address, deviceName: server.deviceName, by: .ofVerb)
        try StandardOutput.writeDevice(server.deviceName, asJSON: options.json)
    }
}

extension StandardOutput {
    /// Writes that this device belongs to a fleet now.
    fileprivate static func writeDevice(_ name: String, asJSON: Bool) throws {
        if asJSON { return try write(line: try JSONValue.object(["device": .string(name)]).text) }
        try write(line: "This device is in the fleet as \(name).")
    }
}
