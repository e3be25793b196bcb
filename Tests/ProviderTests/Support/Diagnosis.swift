import Foundation
import TestSupport

/// What `sharedauth doctor` says to people.
struct Diagnosis {
    /// The exit status.
    let status: Int32
    /// Everything it printed.
    let text: String

    /// Lets it look at a keyring, with changes to the environment in `env`'s form, and keeps what it said under a title
    /// for the documentation.
    init(of keyring: PrivateKeyring, as title: String, environment: [String] = []) throws {
        // What other tests have left in the directory for choices of group is not to be seen.
        let state = "XDG_STATE_HOME=\(keyring.directory)/state-\(UUID().uuidString)"
        let call = [try BuiltProducts.executable("sharedauth"), "doctor", "--app-id", "com.example.Mail"]
        let result = try keyring.run("/usr/bin/env", environment + [state] + call)
        (status, text) = (result.status, result.standardOutput)
        Observations.keep("\(text)\nExit status: \(status)\n", as: title)
    }

    /// The checks that ended so: good, warning or bad.
    func checks(_ verdict: String) -> [String] {
        findings.filter { $0.first == verdict[...] }.map { String($0[1]) }
    }

    /// What a check found; empty if it did not take place.
    subscript(check: String) -> String {
        findings.first { $0[1] == check[...] }.map { String($0[2]) } ?? ""
    }

    /// Verdict, check and message of each line that is not a remedy.
    private var findings: [[Substring]] {
        text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
            .filter { $0.count == 3 && $0[0] != "->" }
    }
}
