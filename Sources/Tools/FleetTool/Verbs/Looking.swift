internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import SharedAuthFleet

/// Shows this device's part in the fleet, without the server.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show this device's part in a fleet. Does not connect to the server; doctor does."
    )

    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let fleet = try options.fleet()
        guard let enrolment = try fleet.enrolment(by: .ofVerb) else {
            throw ToolError(
                .unavailable,
                "This device belongs to no fleet.",
                name: "notEnrolled",
                remedy: "Run sharedauth fleet init, or enrol it with a code from a device of the fleet."
            )
        }
        try fleet.table(enrolment).print(asJSON: options.json)
    }
}

/// Checks the server and the fleet.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Connect to the server, check how it is set up, and verify the list of devices.",
        discussion: """
            Prints the number and the digest of the list. Devices that print the same number must print the same \
            digest; otherwise the server shows them different lists. Also tells if the server shows that the fleet was \
            begun anew, which nothing proves to this device, and if a role can connect that no device of the list has.
            """
    )

    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let fleet = try options.fleet()
        let devices = try fleet.devices(by: .ofVerb)
        try fleet.checkForLaterFleet(by: .ofVerb)
        guard let enrolment = try fleet.enrolment(by: .ofVerb) else { return }
        var table = try fleet.table(enrolment)
        table.add("devices", .number(Double(devices.count)), row: "devices", text: String(devices.count))
        let (version, latest) = (try fleet.schemaVersion(by: .ofVerb), SharedAuthFleet.Fleet.schemaVersions.upperBound)
        let advice = version < latest ? "; the administrator can upgrade it: sharedauth fleet schema --upgrade" : ""
        table.add("schema", .number(Double(version)), row: "schema", text: "version \(version)\(advice)")
        let own = enrolment.address.role
        let roles = RoleReport(
            SharedAuthFleet.Fleet.findings(try fleet.roles(by: .ofVerb), of: devices, own: own)
        )
        let verdict = roles.hasWarnings ? "warning" : "good"
        table.add("verdict", .string(verdict), row: "server", text: verdict)
        if options.json { table.add("roles", roles.json, row: "roles", text: "") }
        try table.print(asJSON: options.json)
        if !options.json { for line in roles.lines { try StandardOutput.write(line: line) } }
    }
}

/// Prints the schema.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the SQL text that an administrator runs once in the database.",
        discussion: """
            Update SharedAuth on the devices before you upgrade the schema: each release works with the schema that it \
            prints, and with the version before.
            """
    )

    @Flag(help: "Print the text that upgrades the version before to this one.") var upgrade = false
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let text = upgrade ? SharedAuthFleet.Fleet.schemaUpgrade : SharedAuthFleet.Fleet.schema
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            try StandardOutput.write(line: String(line))
        }
    }
}

extension SharedAuthFleet.Fleet {
    /// The rows that status and doctor print.
    fileprivate func table(_ enrolment: (address: ServerAddress, deviceName: String)) throws -> Table {
        let head = try head(by: .ofVerb)
        var table = Table()
        let address = enrolment.address
        table.add("device", .string(enrolment.deviceName), row: "device", text: enrolment.deviceName)
        table.add("host", .string(address.host), row: "host", text: address.host)
        table.add("database", .string(address.database), row: "database", text: address.database)
        table.add("role", .string(address.role), row: "role", text: address.role)
        table.add("list", .number(Double(head.number)), row: "list number", text: String(head.number))
        table.add("digest", .string(head.digest), row: "list digest", text: head.digest)
        return table
    }
}
