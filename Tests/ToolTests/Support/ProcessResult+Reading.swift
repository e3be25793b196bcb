import FoundationEssentials
import SharedAuth
import TestSupport

extension ProcessResult {
    /// The JSON on standard output.
    var json: JSONValue {
        get throws { try JSONDecoder().decode(JSONValue.self, from: Data(standardOutput.utf8)) }
    }

    /// The uid of the user in the JSON, if there is one.
    var uid: String? {
        get throws { try json["user"]?["uid"]?.string }
    }

    /// Whether standard error is one line that names the tool.
    var hasOneLineOfComplaint: Bool {
        standardError.hasPrefix("sharedauth: ") && standardError.hasSuffix("\n")
            && standardError.split(separator: "\n").count == 1
    }
}
