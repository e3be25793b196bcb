internal import LoopbackServer
internal import SharedAuth

/// An error response, with the names of Pass's enhanced error codes.
struct Refusal: Error, Sendable {
    let status: Int
    let code: String
    let message: String
    var action = "none"
    var details: String?
    /// True for errors of registration and access tokens, which have the OAuth format.
    var isOfRegistration = false

    init(_ status: Int, _ code: String, _ message: String, action: String = "none", details: String? = nil) {
        (self.status, self.code, self.message) = (status, code, message)
        (self.action, self.details) = (action, details)
    }

    /// Returns an error of registration or of an access token.
    static func registration(_ status: Int, _ code: String, _ message: String) -> Refusal {
        var refusal = Refusal(status, code, message, action: "application-registration")
        refusal.isOfRegistration = true
        return refusal
    }

    static func notFound(_ what: String) -> Refusal { Refusal(404, "not_found", "There is no \(what) here.") }

    var json: JSONValue {
        if isOfRegistration { return .object(["error": .string(code)]) }
        return JSONValue.object([
            "status": .number(Double(status)), "code": .string(code), "message": .string(message),
            "action": .string(action), "details": JSONValue(details), "trace": .string("stand-in"),
            "helpUrl": .string("https://help.example/\(code)"),
        ]).withoutNulls
    }

    var answer: ServedAnswer { .json(json, status: status) }
}
