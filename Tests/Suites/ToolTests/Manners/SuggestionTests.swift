import TestSupport
import Testing

/// Tests the tool's suggestions for misspelled verbs and options.
struct SuggestionTests {
    @Test(
        "The closest verb or option is suggested, a shared one too, if one is close",
        arguments: [
            (["statsu"], "Unexpected argument 'statsu'. Did you mean 'status'?"),
            (["singout"], "Unexpected argument 'singout'. Did you mean 'sign-out'?"),
            (["status", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
            (
                ["migrate", "--from-own", "--to-group", Shell.group, "--if-ocupied", "add"],
                "Unknown option '--if-ocupied'. Did you mean '--if-occupied'?"
            ),
            (["status", "--zzz"], "Unknown option '--zzz'\n"),
            (["quux"], "Unexpected argument 'quux'\n"),
        ]
    )
    func suggestions(_ arguments: [String], _ said: String) throws {
        let result = try Shell().bare(arguments)
        #expect(result.status == 64)
        #expect(result.standardError.contains(said), "\(result.standardError)")
        let json = try Shell().bare(arguments + ["--json"])
        #expect(json.standardError.contains(said.replacing("\n", with: "\"")), "\(json.standardError)")
    }

    @Test("The help of the Firebase stand-in is wrapped only by the terminal's width")
    func helpOfStandIn() throws {
        let help = try Shell().keyring.run(BuiltProducts.executable("FirebaseStandIn"), ["--help"])
        let lines = help.standardOutput.split(separator: "\n").drop { !$0.hasPrefix("It is part of SharedAuth") }
        let widths = lines.prefix { !$0.hasPrefix("USAGE") }.dropLast().map(\.count)
        #expect(widths.count > 3 && widths.allSatisfy { $0 > 60 }, "\(widths)")
    }

    @Test("doctor prints its remedy only once without a message bus")
    func noBus() throws {
        let environment = ["-u", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR=/nowhere"]
        let result = try Shell().bare(["doctor"], environment: environment)
        #expect(result.status == 69)
        #expect(result.standardOutput.split(separator: "use --store file").count == 2, "\(result.standardOutput)")
    }
}
