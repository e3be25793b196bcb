internal import FoundationEssentials

/// The output of `sharedauth doctor`, as JSON or as text.
package struct Diagnosis: Sendable {
    /// One finding.
    package struct Finding: Decodable, Sendable {
        package let check: String
        /// good, warning or bad.
        package let verdict: String
        package let message: String
        /// The advice, if there is any; nil if read from text, where it is on a separate line.
        package let remedy: String?
    }

    /// The exit status.
    package let status: Int32
    /// The standard output.
    package let text: String
    /// The findings, in the order of the checks.
    package let findings: [Finding]

    /// Reads the output of `doctor --json`.
    package init(_ result: ProcessResult) throws {
        (status, text) = (result.status, result.standardOutput)
        findings = try JSONDecoder().decode([Finding].self, from: Data(text.utf8))
    }

    /// Reads the output of `doctor` for users: verdict, check and message, with the advice below.
    package init(text result: ProcessResult) {
        (status, text) = (result.status, result.standardOutput)
        findings = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0] != "->" else { return nil }
            let message = words[2].drop { $0 == " " }
            return Finding(check: String(words[1]), verdict: String(words[0]), message: String(message), remedy: nil)
        }
    }

    /// The first finding of a check, or nil if it has none.
    package subscript(check: String) -> Finding? { findings.first { $0.check == check } }

    /// The verdict of each check's first finding.
    package var verdicts: [String: String] {
        Dictionary(findings.map { ($0.check, $0.verdict) }) { first, _ in first }
    }

    /// Returns the checks of all findings with a verdict.
    package func checks(_ verdict: String) -> [String] {
        findings.filter { $0.verdict == verdict }.map(\.check)
    }
}
