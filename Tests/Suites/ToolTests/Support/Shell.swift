import FoundationEssentials
import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// Runs the tool in a keyring, for one app of a project that no other test uses.
struct Shell: Sendable {
    static let group = "group.com.example.office"
    private static let keyrings = SharedKeyrings()
    private static let projects = Atomic(0)

    let keyring: PrivateKeyring
    let project: String
    var appID: String

    init(_ appID: String = "com.example.Mail", in keyring: PrivateKeyring? = nil) throws {
        self.keyring = try keyring ?? Self.keyrings.get()
        project = "test-\(Self.projects.add(1, ordering: .relaxed).newValue)"
        self.appID = appID
    }

    /// Returns another app of the same project.
    func app(_ appID: String) -> Shell {
        var other = self
        other.appID = appID
        return other
    }

    /// The options that identify the app.
    var identity: [String] { ["--app-id", appID, "--project", project] }

    /// Runs a verb of the tool and waits until it exits.
    func callAsFunction(_ arguments: String..., input: String = "") throws -> ProcessResult {
        try keyring.run(BuiltProducts.executable("sharedauth"), arguments + identity, input: input)
    }

    /// Runs the tool with only these arguments, and with changes to the environment in `env`'s form.
    func bare(_ arguments: [String], environment: [String] = []) throws -> ProcessResult {
        try keyring.run("/usr/bin/env", environment + [BuiltProducts.executable("sharedauth")] + arguments)
    }

    /// Starts a verb of the tool on a terminal.
    func terminal(_ arguments: String...) throws -> Terminal {
        try Terminal(BuiltProducts.executable("sharedauth"), arguments + identity, in: keyring)
    }

    /// Signs in, anonymously or to a new account with this address, and returns the uid.
    func signIn(as address: String? = nil, _ options: String...) throws -> String {
        let who = address.map { ["--email", $0, "--password-stdin", "--create"] } ?? ["--anonymous"]
        let tool = try BuiltProducts.executable("sharedauth")
        let arguments = ["sign-in", "--json"] + who + options + identity
        let signedIn = try keyring.run(tool, arguments, input: "a good password\n")
        guard let uid = try? signedIn.uid else { throw NobodySignedIn(said: signedIn.standardError) }
        return uid
    }

    /// Returns the number of records of the project, of all kinds.
    func records() throws -> Int {
        let service = keyring.makeService()
        return try service.items(matching: ["sharedauth-project": project]).unlocked.count
    }

    /// Replaces the content of all user records of the project, or of another project.
    func replaceRecords(with text: String, project: String? = nil) throws {
        let project = project ?? self.project
        let service = keyring.makeService()
        let found = try service.items(matching: ["sharedauth-project": project, "sharedauth-kind": "user"])
        for item in found.unlocked {
            try item.setSecret(Secret(text))
        }
    }

    /// Returns the refresh token of the user in a group, read through the library.
    func refreshToken(in group: String) throws -> String? {
        let options = AuthApp.Options(
            appID: appID,
            project: project,
            store: .secretService(.init(busAddress: .address(keyring.busAddress))),
            stateDirectory: "\(keyring.directory)/state/reader",
            observesOtherProcesses: false
        )
        let app = try AuthApp(unregistered: options)
        return try Auth.auth(app: app).getStoredUser(forAccessGroup: group)?.refreshToken
    }
}

/// The error if a sign-in failed.
struct NobodySignedIn: Error {
    let said: String
}

extension PrivateKeyring {
    /// Replaces the daemon of a locked collection with one that has the same collection unlocked.
    func restartUnlocked() throws {
        try killDaemon()
        try startDaemon(unlocked: true)
    }
}

extension ProcessResult {
    /// The JSON on standard output.
    var json: JSONValue {
        get throws { try JSONDecoder().decode(JSONValue.self, from: Data(standardOutput.utf8)) }
    }

    /// The uid of the user in the JSON, or nil.
    var uid: String? {
        get throws { try json["user"]?["uid"]?.string }
    }

    /// True if standard error is one line that begins with the tool's name or is an error as JSON.
    var hasOneLineOfComplaint: Bool {
        (standardError.hasPrefix("sharedauth: ") || standardError.hasPrefix(#"{"error":{"code":"#))
            && standardError.hasSuffix("\n") && standardError.split(separator: "\n").count == 1
    }
}
