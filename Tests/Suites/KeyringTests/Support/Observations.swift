import Foundation
import Synchronization
import TestSupport

/// What the run showed, for the documentation: files in the directory that `SHAREDAUTH_OBSERVATIONS` names, and nothing
/// without it.
enum Observations {
    private static let directory = Mutex(ProcessInfo.processInfo.environment["SHAREDAUTH_OBSERVATIONS"])

    /// Notes one cell of the table of daemons: a line with what was looked at, the daemon, and what was seen.
    static func note(_ kind: DaemonKind, _ what: String, _ seen: String) {
        append("\(what)\t\(kind.rawValue)\t\(seen)\n", to: "table")
    }

    /// Keeps what a program said, under a title.
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
    /// Lets `sharedauth doctor` look at a keyring, with changes to the environment in `env`'s form, and keeps what it said
    /// under a title for the documentation.
    init(of keyring: PrivateKeyring, as title: String, environment: [String] = []) throws {
        // What other tests have left in the directory for choices of group is not to be seen.
        let state = "XDG_STATE_HOME=\(keyring.directory)/state-\(UUID().uuidString)"
        let call = [try BuiltProducts.executable("sharedauth"), "doctor", "--app-id", "com.example.Mail"]
        self.init(text: try keyring.run("/usr/bin/env", environment + [state] + call))
        Observations.keep("\(text)\nExit status: \(status)\n", as: title)
    }
}
