internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import SharedAuthFleet

/// Prints what withdraws a role.
struct Withdraw: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Print the SQL text by which an administrator withdraws a device's role.",
        discussion: """
            Run the text with psql as a superuser, in the fleet's database. It ends the role's sessions, keeps it from \
            logging in, and removes the password and the settings that it may have given itself; comments tell what \
            remains to be done in the server's files. Does not connect to the server, and needs no device of the fleet.

            The other devices still give it keys until revoke removes the device; doctor tells whether both are done.
            """
    )

    @Argument(help: ArgumentHelp("The role, as revoke and doctor print it.", valueName: "name")) var name: String
    @OptionGroup(title: "Options for all verbs") var options: AppOptions

    func run() throws {
        let text = try SharedAuthFleet.Fleet.withdrawal(of: name)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            try StandardOutput.write(line: String(line))
        }
    }
}
