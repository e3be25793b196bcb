internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// What one check of `doctor` found: a line of its answer.
struct Finding {
    /// How it is.
    enum Verdict: String {
        case good
        case warning
        case bad
    }

    /// What was looked at, in one word.
    let check: String
    let verdict: Verdict
    /// How it is, for people.
    let message: String
    /// What to do about it; nil when nothing has to be done.
    let remedy: String?
    /// The exit status that a bad finding asks for.
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
}

extension Finding {
    /// An object with the members `check`, `verdict`, `message` and `remedy`.
    var json: JSONValue {
        .object([
            "check": .string(check),
            "verdict": .string(verdict.rawValue),
            "message": .string(message),
            "remedy": JSONValue(remedy),
        ])
    }

    /// The finding on one line, and what to do on another.
    var lines: [String] {
        let head = Self.padded(verdict.rawValue, to: 9) + Self.padded(check, to: 12)
        let indent = String(repeating: " ", count: head.count)
        return [head + message] + (remedy.map { ["\(indent)-> \($0)"] } ?? [])
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
