package import ArgumentParser
internal import DesktopSupport
internal import FoundationEssentials
package import SharedAuth

/// An error that ends a tool: a line on standard error, and the exit status. With `--json` the line is
/// `{"error":{"code":19001,"message":"…","name":"keyringLocked","remedy":"…"}}`.
package struct ToolError: Error {
    /// The exit status.
    package let status: ExitCode
    /// The library's error code; for an error of the tool itself, the exit status.
    package let code: Int
    /// The name in JSON.
    package let name: String
    /// The problem.
    package private(set) var message: String
    /// The remedy, in terms of the tool; nil if the message includes it, or nothing can be done.
    package let remedy: String?

    /// Creates an error of the tool itself. Its name is that of the status, unless a more specific one is given.
    package init(_ status: ExitCode, _ message: String, name: String? = nil, remedy: String? = nil) {
        (self.status, code, self.name) = (status, Int(status.rawValue), name ?? status.name)
        (self.message, self.remedy) = (message, remedy)
    }

    /// Creates an error from one of the library, with the tool's remedy.
    package init(_ error: AuthError, remedy: String?) {
        (status, code, name) = (ExitCode(error.code), error.code.rawValue, error.code.name)
        (message, self.remedy) = (error.message, remedy)
    }

    /// Creates an error from a known one; nil for one that only the argument parser knows.
    init?(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as AuthError: self.init(error, remedy: error.remedy)
        default: return nil
        }
    }

    /// Returns the same error, with a prefix that names its subject.
    package func about(_ place: String) -> ToolError {
        var error = self
        error.message = "\(place): \(message)"
        return error
    }

    /// Reports the error, and ends the process.
    package func end() -> Never { ProcessEnd.end(status, saying: self) }
}

extension ToolError {
    /// The message and the remedy, as text.
    package var text: String { remedy.map { "\(message) \($0)" } ?? message }

    /// An object with the member `error`.
    var json: JSONValue {
        let members: [String: JSONValue] = [
            "code": .number(Double(code)), "name": .string(name), "message": .string(message),
            "remedy": JSONValue(remedy),
        ]
        return .object(["error": .object(members)])
    }

    /// Indicates whether errors are printed as JSON: true if the call contains `--json`, even if the call is invalid.
    package static var areJSON: Bool {
        ProgramArguments.words.dropFirst().prefix { $0 != "--" }.contains("--json")
    }
}
