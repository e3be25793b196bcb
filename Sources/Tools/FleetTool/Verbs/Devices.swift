internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import SharedAuthFleet

/// Lists the devices.
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the fleet, with the ids that revoke takes."
    )

    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let devices = try options.fleet().devices(by: .ofVerb)
        if options.json {
            let list = devices.map { device in
                JSONValue.object([
                    "id": .string(device.id), "name": .string(device.name),
                    "isThisDevice": .bool(device.isThisDevice),
                ])
            }
            return try StandardOutput.write(line: try JSONValue.array(list).text)
        }
        for device in devices {
            let mark = device.isThisDevice ? " (this device)" : ""
            try StandardOutput.write(line: "\(device.id)  \(device.name)\(mark)")
        }
    }
}

/// Removes a device.
struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Remove a device, give the others new keys, and sign out everywhere.",
        discussion: """
            The removed device knows the present keys and tokens, so all devices sign in again. Sessions of OpenID \
            providers are also ended there; for others, a line tells which to end. The device keeps the data that it \
            has read, and can reach the server until the administrator withdraws its role: see withdraw.
            """
    )

    @Argument(help: "The id of the device, as devices prints it.") var id: String
    @Flag(help: "Do not ask for a confirmation.") var yes = false
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let (fleet, store) = try options.fleetAndStore()
        guard let device = try fleet.devices(by: .ofVerb).first(where: { $0.id == id }) else {
            throw ToolError(.usage, "The fleet has no device of this id.", remedy: "Run sharedauth fleet devices.")
        }
        if !yes {
            try Terminal.confirm(
                "All devices must sign in again when \(device.name) is removed, and their sessions end. Continue?",
                orGive: "--yes"
            )
        }
        let ends = SessionEnds(try fleet.remove(id, by: .ofVerb), in: store, project: options.projectName)
        let roles = ((try? fleet.roles(by: .ofVerb)) ?? []).filter { $0.device == id }
        if options.json {
            let names = roles.map { JSONValue.string($0.name) }
            let members: [String: JSONValue] = ["removed": .string(id), "roles": .array(names), "sessions": ends.json]
            return try StandardOutput.write(line: try JSONValue.object(members).text)
        }
        try StandardOutput.write(line: "Removed \(device.name). All devices sign in again.")
        try ends.print()
        for role in roles {
            let state = role.isRemoved ? "serves its role \(role.name) no more" : "still serves its role \(role.name)"
            try StandardOutput.write(
                line: "The server \(state). Ask the administrator to run what \(role.withdrawal) prints."
            )
        }
        if !roles.isEmpty { return }
        let role = try fleet.enrolment(by: .ofVerb)?.address.role ?? "your role"
        try StandardOutput.write(
            line: "Ask the administrator to withdraw the certificate or password with which it connects as \(role)."
        )
    }
}
