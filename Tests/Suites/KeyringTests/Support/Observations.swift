import Foundation
import Synchronization
import TestSupport

/// Writes the results of a run, for the documentation, to files in the directory that `SHAREDAUTH_OBSERVATIONS`
/// names. Writes nothing without that variable.
enum Observations {
    private static let directory = Mutex(ProcessInfo.processInfo.environment["SHAREDAUTH_OBSERVATIONS"])

    /// Writes one cell of the table of daemons: a line with the aspect, the daemon and the result.
    static func note(_ kind: DaemonKind, _ what: String, _ seen: String) {
        append("\(what)\t\(kind.rawValue)\t\(seen)\n", to: "table")
    }

    /// Saves the output of a program under a title.
    static func keep(_ text: String, as title: String) {
        append(text, to: "said/\(title)")
    }

    private static func append(_ text: String, to name: String) {
        directory.withLock { directory in
            guard let directory else { return }
            let path = URL(filePath: "\(directory)/\(name)")
            let before = (try? Data(contentsOf: path)) ?? Data()
            try? (before + Data(text.utf8)).write(to: path)
        }
    }
}

extension Diagnosis {
    /// Runs `sharedauth doctor` on a keyring, with changes to the environment in `env`'s form, and saves its output
    /// under a title for the documentation.
    init(of keyring: PrivateKeyring, as title: String, environment: [String] = []) throws {
        // Hide the group choices that other tests have stored.
        let state = "XDG_STATE_HOME=\(keyring.directory)/state-\(UUID().uuidString)"
        let call = [try BuiltProducts.executable("sharedauth"), "doctor", "--app-id", "com.example.Mail"]
        self.init(text: try keyring.run("/usr/bin/env", environment + [state] + call))
        Observations.keep("\(text)\nExit status: \(status)\n", as: title)
    }
}
