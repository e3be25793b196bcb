package import ArgumentParser
internal import FoundationEssentials
package import SharedAuth

/// Why a tool did not do what it was asked, as it says so: a line on standard error, and the exit status. With `--json` the
/// line is `{"error":{"code":19001,"message":"…","name":"keyringLocked","remedy":"…"}}`.
package struct ToolError: Error {
    /// The exit status.
    package let status: ExitCode
    /// The number of the library's code; for a failure of the tool's own the exit status.
    package let code: Int
    /// What programs call it.
    package let name: String
    /// What is wrong.
    package private(set) var message: String
    /// What to do, with the tool; nil when the message says it, or nothing can be done.
    package let remedy: String?

    /// A failure of the tool's own; its name is that of the status, unless there is a closer one.
    package init(_ status: ExitCode, _ message: String, name: String? = nil, remedy: String? = nil) {
        (self.status, code, self.name) = (status, Int(status.rawValue), name ?? status.name)
        (self.message, self.remedy) = (message, remedy)
    }

    /// An error of the library, with a remedy in the tool's own words.
    package init(_ error: AuthError, remedy: String?) {
        (status, code, name) = (ExitCode(error.code), error.code.rawValue, error.code.name)
        (message, self.remedy) = (error.message, remedy)
    }

    /// An error as it is; nil for one that only the argument parser knows.
    init?(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as AuthError: self.init(error, remedy: error.remedy)
        default: return nil
        }
    }

    /// The same error, which says first what it is about.
    package func about(_ place: String) -> ToolError {
        var error = self
        error.message = "\(place): \(message)"
        return error
    }

    /// Says it, and ends the process.
    package func end() -> Never { ProcessEnd.end(status, saying: self) }
}

extension ToolError {
    /// The message and the remedy, for a person who can read both at once.
    package var text: String { remedy.map { "\(message) \($0)" } ?? message }

    /// An object with the member `error`.
    var json: JSONValue {
        let members: [String: JSONValue] = [
            "code": .number(Double(code)), "name": .string(name), "message": .string(message),
            "remedy": JSONValue(remedy),
        ]
        return .object(["error": .object(members)])
    }

    /// Whether errors are printed as JSON: whether the call asks for JSON, be it well-formed or not.
    package static var areJSON: Bool {
        CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }
}
