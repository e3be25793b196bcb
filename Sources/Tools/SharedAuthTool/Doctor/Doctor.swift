internal import ArgumentParser
internal import CommandLineSupport
internal import EncryptedFiles
internal import OpenIDConnect
internal import SharedAuth

/// Checks everything that sharing a user depends on.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "doctor",
        abstract: "Check everything that sharing a user depends on, and print remedies for problems.",
        usage: """
            sharedauth doctor
            sharedauth doctor --oidc <issuer> --client-id <id> [<options>]
            """,
        discussion: """
            One line for each check: good, warning or bad. A check that an earlier one makes impossible is omitted. To \
            test the keyring, a test record is written, read and deleted, while another connection watches for it. All \
            records of the app and the accounts of the embedded identity provider are read; none is changed. The \
            OpenID providers of stored sessions are contacted, to check that they answer and to compare their time \
            with this machine's.

            The exit status is 0 if nothing is bad, else that of the first bad line. Checks run from the ground up, so \
            the first bad line is the cause of those after it.

            With --oidc and --client-id, checks an OpenID provider instead, before any user signs in there: its \
            discovery document, and the redirect address to register.
            """,
        examples: [
            "sharedauth doctor --app-id com.example.Mail",
            "sharedauth doctor --oidc https://id.example.com --client-id desktop",
        ]
    )

    @OptionGroup var openID: ClientOptions

    @OptionGroup var redirect: RedirectOptions

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        try openID.check()
        if openID.device || openID.noOfflineAccess || !openID.scope.isEmpty {
            throw ValidationError(
                "--device, --scope and --no-offline-access go with sign-in: doctor --oidc does not sign in."
            )
        }
        if openID.oidc == nil, redirect.areGiven {
            throw ValidationError("--redirect-port and --redirect-host go with --oidc <issuer>.")
        }
    }

    func run() throws {
        if let client = try openID.client() {
            var browser = BrowserSettings()
            redirect.apply(to: &browser)
            var examination = ProviderExamination(client, openID.settings(browser))
            examination.run()
            return try end(examination.findings, examination.status)
        }
        let store = try app.recordStore()
        var examination = Examination(
            try app.configuration(on: store),
            try app.recordCollection(),
            on: app.secretService
        )
        if let files = store as? EncryptedFileRecordStore { examination.run(on: files) } else { examination.run() }
        try end(examination.findings, examination.status)
    }

    private func end(_ findings: [Finding], _ status: ExitCode) throws {
        if app.json {
            try StandardOutput.write(line: try JSONValue.array(findings.map(\.json)).text)
        } else {
            for line in findings.flatMap(\.lines) { try StandardOutput.write(line: line) }
        }
        if status != .success { throw status }
    }
}

/// The finding of one check of `doctor`: a line of its output.
struct Finding {
    /// The result of a check.
    enum Verdict: String {
        case good
        case warning
        case bad
    }

    /// The subject of the check, in one word.
    let check: String
    let verdict: Verdict
    /// The finding in a sentence.
    let message: String
    /// The remedy; nil if nothing has to be done.
    let remedy: String?
    /// The exit status of a bad finding.
    let status: ExitCode

    static func good(_ check: String, _ message: String) -> Finding {
        Finding(check: check, verdict: .good, message: message, remedy: nil, status: .success)
    }

    static func warning(_ check: String, _ message: String, remedy: String) -> Finding {
        Finding(check: check, verdict: .warning, message: message, remedy: remedy, status: .success)
    }

    static func bad(_ check: String, _ message: String, remedy: String?, status: ExitCode) -> Finding {
        Finding(check: check, verdict: .bad, message: message, remedy: remedy, status: status)
    }

    /// An object with the members `check`, `verdict`, `message` and `remedy`.
    var json: JSONValue {
        .object([
            "check": .string(check),
            "verdict": .string(verdict.rawValue),
            "message": .string(message),
            "remedy": JSONValue(remedy),
        ])
    }

    /// The finding on one line, and the remedy on another.
    var lines: [String] {
        let head = verdict.rawValue.padded(to: 9) + check.padded(to: 12)
        let indent = String(repeating: " ", count: head.count)
        return [head + message] + (remedy.map { ["\(indent)-> \($0)"] } ?? [])
    }
}
