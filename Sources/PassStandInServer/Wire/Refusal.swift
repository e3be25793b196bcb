internal import LoopbackServer
internal import SharedAuth

/// Why a call is refused, by the names of Pass's enhanced error codes.
struct Refusal: Error, Sendable {
    let status: Int
    let code: String
    let message: String
    var action = "none"
    var details: String?
    /// Registration has another form of errors.
    var isOfRegistration = false

    init(_ status: Int, _ code: String, _ message: String, action: String = "none", details: String? = nil) {
        (self.status, self.code, self.message) = (status, code, message)
        (self.action, self.details) = (action, details)
    }

    /// One of registration and access tokens.
    static func registration(_ status: Int, _ code: String, _ message: String) -> Refusal {
        var refusal = Refusal(status, code, message, action: "application-registration")
        refusal.isOfRegistration = true
        return refusal
    }

    static func notFound(_ what: String) -> Refusal { Refusal(404, "not_found", "There is no \(what) here.") }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "status": .number(Double(status)), "code": .string(code), "message": .string(message),
            "action": .string(action), "details": JSONValue(details), "trace": .string("stand-in"),
        ]
        if isOfRegistration { members["error"] = .string(code) }
        return JSONValue.object(members).withoutNulls
    }

    var answer: ServedAnswer { .json(json, status: status) }
}
