import Foundation
import SharedAuth
import TestSupport
import Testing

/// Tests the form of the tool's errors: as text, and as JSON with `--json`.
struct ErrorFormTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    /// Expects a call to fail with this complete text on standard error, as text and as JSON.
    private func expect(
        _ arguments: [String],
        _ status: Int32,
        _ text: String,
        code: Int,
        _ name: String,
        remedy: String?,
        environment: [String] = []
    ) throws {
        let plain = try tool.bare(arguments + tool.identity, environment: environment)
        #expect(plain.status == status)
        let sentences = [text, remedy].compactMap(\.self).joined(separator: " ")
        #expect(plain.standardError == "sharedauth: \(sentences)\n")
        let json = try tool.bare(arguments + ["--json"] + tool.identity, environment: environment)
        #expect(json.status == status)
        #expect(json.standardError.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        let told = try JSONDecoder().decode([String: Told].self, from: Data(json.standardError.utf8))
        #expect(told == ["error": Told(code: code, name: name, message: text, remedy: remedy)])
    }

    private struct Told: Decodable, Equatable {
        let code: Int
        let name: String
        let message: String
        let remedy: String?
    }

    @Test("The error of a locked keyring suggests sharedauth unlock")
    func locked() throws {
        let keyring = try PrivateKeyring(state: .locked)
        defer { keyring.shutdown() }
        for verb in [["status"], ["token"], ["stored-user", "--own"]] {
            let result = try Shell(in: keyring).bare(verb)
            #expect(result.status == 75)
            #expect(result.standardError.hasSuffix(" is locked. Unlock it with sharedauth unlock.\n"))
        }
    }

    @Test("The error of an undeclared group suggests --declare")
    func undeclared() throws {
        try expect(
            ["use-group", Shell.group, "--declare", "group.com.example.a"],
            77,
            "com.example.Mail does not declare the access group \(Shell.group); it declares: group.com.example.a.",
            code: 19005,
            "accessGroupNotDeclared",
            remedy: "Name it with --declare, or in SHAREDAUTH_ACCESS_GROUPS."
        )
    }

    @Test("The error of a damaged record suggests to sign in or to set it aside")
    func damaged() throws {
        _ = try tool.signIn()
        try tool.replaceRecords(with: "garbage")
        let result = try tool("status")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasSuffix("Sign in again, or run sharedauth set-aside user; a copy stays.\n"),
            "\(result.standardError)"
        )
    }

    @Test("Joining a group with a damaged record fails rather than losing the app's user")
    func damagedTarget() throws {
        let other = tool.app("com.example.Calendar")
        #expect(try other("use-group", Shell.group).status == 0)
        _ = try other.signIn()
        try tool.replaceRecords(with: "garbage")
        let uid = try tool.signIn()
        let result = try tool("use-group", Shell.group, "--forget")
        #expect(result.status == 65)
        let remedy = "Set it aside with sharedauth set-aside user, then run sharedauth migrate to bring the user along."
        #expect(result.standardError.hasSuffix(" would be lost by joining. \(remedy)\n"))
        #expect(try tool("whoami").standardOutput == "\(uid)\n")
    }

    @Test("The error of a missing collection suggests create-collection")
    func missingCollection() throws {
        try expect(
            ["sign-in", "--anonymous", "--collection", "Nowhere"],
            69,
            "On the identity-keys record of project \(tool.project): The collection \"Nowhere\" does not exist.",
            code: 19002,
            "keyringUnavailable",
            remedy: "Run sharedauth create-collection in the user's desktop session."
        )
    }

    @Test("A damaged group choice, and an unwritable one, are errors with a remedy")
    func stateDirectory() throws {
        let state = "\(tool.keyring.directory)/state-\(tool.project)"
        let folder = "\(state)/sharedauth/\(tool.appID)/\(tool.project)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(filePath: "\(folder)/default.json"))
        try expect(
            ["whoami"],
            70,
            "The app's access-group choice in \(folder)/default.json is damaged or of a newer version.",
            code: 19014,
            "stateDirectoryUnusable",
            remedy: "Choose again with sharedauth use-group.",
            environment: ["XDG_STATE_HOME=\(state)"]
        )
        let arguments = ["use-group", Shell.group] + tool.identity
        let unwritable = try tool.bare(arguments, environment: ["XDG_STATE_HOME=/proc"])
        #expect(unwritable.status == 70)
        #expect(unwritable.standardError.hasSuffix("Make the directory writable, or set XDG_STATE_HOME.\n"))
    }

    @Test(
        "Usage errors are printed as JSON with --json",
        arguments: [
            (
                ["stored-user", "--json"], "Give either --group <group> or --own.",
                "See 'sharedauth stored-user --help' for more information." as String?
            ),
            (
                ["--json", "frob"], "Unexpected argument 'frob'",
                "See 'sharedauth --help' for more information."
            ),
            (["use-group", "a..b", "--json"], nil, nil),
        ] as [([String], String?, String?)]
    )
    func wrongCall(_ arguments: [String], _ message: String?, _ remedy: String?) throws {
        let result = try tool.bare(arguments)
        #expect(result.status == 64)
        let told = try JSONDecoder().decode([String: Told].self, from: Data(result.standardError.utf8))["error"]
        guard let message else {
            // The library's error, which has its own code.
            #expect(told?.code == 19006)
            #expect(told?.name == "invalidAccessGroup")
            return
        }
        #expect(told == Told(code: 64, name: "usage", message: message, remedy: remedy))
    }

    @Test("Output that cannot be written is an error with status 74")
    func fullOutput() throws {
        let program = try BuiltProducts.executable("sharedauth")
        let result = try tool.keyring.run(
            "/bin/sh",
            ["-c", #"exec "$@" >/dev/full"#, "sh", program, "status", "--json"] + tool.identity
        )
        #expect(result.status == 74)
        #expect(result.standardError.hasPrefix(#"{"error":{"code":74,"message":"The answer could not be written"#))
    }

    @Test("--json after -- does not select JSON errors")
    func afterTerminator() throws {
        let result = try tool.bare(["stored-user", "--", "--json"])
        #expect(result.status == 64)
        #expect(result.standardError.hasPrefix("Error: "))
    }

    @Test("Variables set the project and the team ID, and options take precedence")
    func variables() throws {
        let uid = try tool.signIn()
        let app = ["--app-id", tool.appID]
        let environment = ["SHAREDAUTH_PROJECT=\(tool.project)", "SHAREDAUTH_TEAM_ID=TEAM"]
        #expect(try tool.bare(["whoami"] + app, environment: environment).standardOutput == "\(uid)\n")
        #expect(try tool.bare(["whoami", "--project", "other"] + app, environment: environment).status == 67)
        let other = ["use-group", "OTHER.com.example.x", "--forget"] + app
        #expect(try tool.bare(other, environment: environment).status == 77)
        #expect(try tool.bare(other + ["--team-id", "OTHER"], environment: environment).status == 0)
        let malformed = try tool.bare(["whoami"] + app, environment: ["SHAREDAUTH_PROJECT=a/b"])
        #expect(malformed.status == 64)
    }
}
