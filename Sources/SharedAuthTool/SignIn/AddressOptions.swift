internal import ArgumentParser
internal import CommandLineSupport

/// The e-mail address of an account: named, or on standard input, where no list of processes shows it.
struct AddressOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The e-mail address of the account.", valueName: "address"))
    var email: String?

    @Flag(help: "Read the e-mail address from standard input.")
    var emailStdin = false

    var isGiven: Bool { email != nil || emailStdin }

    func validate() throws {
        if email != nil && emailStdin { throw ValidationError("Give --email <address> or --email-stdin, not both.") }
    }

    /// The address; read, unless it is named.
    func value() throws -> String { try email ?? StandardInput.line("e-mail address") }
}
