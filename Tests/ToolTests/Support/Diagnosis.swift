import FoundationEssentials
import TestSupport

/// What `doctor --json` said.
struct Diagnosis {
    /// One finding.
    struct Finding: Decodable {
        let check: String
        let verdict: String
        let message: String
        let remedy: String?
    }

    let status: Int32
    let findings: [Finding]

    init(_ result: ProcessResult) throws {
        status = result.status
        findings = try JSONDecoder().decode([Finding].self, from: Data(result.standardOutput.utf8))
    }

    /// The finding of a check.
    subscript(check: String) -> Finding? { findings.first { $0.check == check } }

    /// The verdicts by check.
    var verdicts: [String: String] {
        Dictionary(findings.map { ($0.check, $0.verdict) }) { first, _ in first }
    }
}
