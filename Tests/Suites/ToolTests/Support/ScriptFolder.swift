import Foundation
import TestSupport

/// The samples' scripts for administrators, and the transcripts in their README.
struct ScriptFolder {
    private static let folder = Checkout.root.appending(path: "Samples/migration")

    /// The pattern of the scripts that are copied for a run.
    private let pattern: String

    init(_ pattern: String) {
        self.pattern = pattern
    }

    /// Returns the transcripts, in the order of the README.
    func transcripts() throws -> [String] {
        let text = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
        return text.components(separatedBy: "\n```console\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```\n").first
        }
    }

    /// Returns the commands in a transcript.
    static func commands(of transcript: String) -> [String] {
        transcript.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    }

    /// Returns a `PATH` with the tool and the programs that the scripts use.
    static func path() throws -> String {
        URL(filePath: try BuiltProducts.executable("sharedauth")).deletingLastPathComponent().path
            + ":/usr/local/bin:/usr/bin:/bin"
    }

    /// Runs commands in a copy of the folder as if they were typed, and prints them as a terminal shows them.
    func run(
        _ commands: [String],
        prepared preparation: String,
        replacing texts: [String: String] = [:],
        input: String = "",
        in keyring: PrivateKeyring
    ) throws -> ProcessResult {
        let place = "\(keyring.directory)/scripts"
        let typed = commands.map { command in
            """
            status=$?; printf '%s\\n' \(quoted("$ " + command)); (exit $status)
            \(texts.reduce(command) { $0.replacing($1.key, with: $1.value) })
            """
        }
        let script = """
            mkdir -p \(place); cp \(quoted(Self.folder.path))/\(pattern) \(place); cd \(place)
            export PATH=\(place):\(quoted(try Self.path()))
            \(preparation)
            exec 2>&1

            """
        return try keyring.run("/bin/bash", ["-c", script + typed.joined(separator: "\n")], input: input)
    }

    private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
}
