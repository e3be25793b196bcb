internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Looks at everything that sharing a user depends on.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that sharing a user depends on, and say what to do where something is wrong.",
        discussion: """
            One line for each check: good, warning or bad. A check that an earlier one makes impossible is left out. A \
            record of its own is written, read and deleted to try the keyring, and watched for by another connection. Every \
            record of the app is read, and so are the accounts of the embedded identity provider; none is changed.

            The exit status is 0 when nothing is bad, else that of the first bad line: checks come from the ground up, so \
            it is the cause of those after it.
            """
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let store = try app.store.recordStore()
        var examination = Examination(try app.configuration(on: store), try app.store.recordCollection())
        if let files = store as? EncryptedFileRecordStore { examination.run(on: files) } else { examination.run() }
        if app.json {
            try StandardOutput.write(line: try JSONValue.array(examination.findings.map(\.json)).text)
        } else {
            for line in examination.findings.flatMap(\.lines) { try StandardOutput.write(line: line) }
        }
        if examination.status != .success { throw examination.status }
    }
}
