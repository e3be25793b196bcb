internal import FoundationEssentials

/// The output of `sharedauth doctor`, as JSON or as text.
package struct Diagnosis: Sendable {
    /// One finding.
    package struct Finding: Decodable, Sendable {
        package let check: String
        /// good, warning or bad.
        package let verdict: String
        package let message: String
        /// The advice; nil if read from text, where it is on a separate line.
        package let remedy: String?
    }

    /// The exit status.
    package let status: Int32
    /// Everything it printed.
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
        findings = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2).map(String.init) }
            .filter { $0.count == 3 && $0[0] != "->" }
            .map { Finding(check: $0[1], verdict: $0[0], message: $0[2], remedy: nil) }
    }

    /// The finding of a check, or nil if the check was not made.
    package subscript(check: String) -> Finding? { findings.first { $0.check == check } }

    /// The verdicts by check.
    package var verdicts: [String: String] {
        Dictionary(findings.map { ($0.check, $0.verdict) }) { first, _ in first }
    }

    /// Returns the checks that ended with a verdict.
    package func checks(_ verdict: String) -> [String] {
        findings.filter { $0.verdict == verdict }.map(\.check)
    }
}
