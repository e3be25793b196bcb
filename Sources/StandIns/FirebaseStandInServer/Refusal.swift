internal import LoopbackServer
internal import SharedAuth

/// An error response in Google's format.
struct Refusal: Error {
    var status = 400
    /// The error code that programs check, or a sentence where Google has no code.
    let word: String
    let text: String?
    /// Google's name of the status, and for a refused key, its reason.
    var name: String?
    var reason: String?

    init(_ word: String, _ text: String? = nil) {
        self.word = word
        self.text = text
    }

    /// Returns the refusal of a key that is restricted to other uses.
    static func blockedKey(_ reason: String) -> Refusal {
        var refusal = Refusal("Requests from this client or to this API are blocked.")
        (refusal.status, refusal.name, refusal.reason) = (403, "PERMISSION_DENIED", reason)
        return refusal
    }

    static let unknownKey: Refusal = {
        var refusal = Refusal("API key not valid. Please pass a valid API key.")
        (refusal.name, refusal.reason) = ("INVALID_ARGUMENT", "API_KEY_INVALID")
        return refusal
    }()

    static let missingKey: Refusal = {
        var refusal = Refusal("The request is missing a valid API key.")
        (refusal.status, refusal.name) = (403, "PERMISSION_DENIED")
        return refusal
    }()

    static func notFound(_ what: String) -> Refusal {
        var refusal = Refusal("\(what) was not found.")
        (refusal.status, refusal.name) = (404, "NOT_FOUND")
        return refusal
    }

    var message: String { [word, text].compactMap(\.self).joined(separator: " : ") }

    var answer: ServedAnswer {
        var error: [String: JSONValue] = [
            "code": .number(Double(status)), "message": .string(message),
            "errors": .array([
                .object([
                    "message": .string(message), "domain": .string("global"),
                    "reason": .string(reason == nil ? "invalid" : "badRequest"),
                ])
            ]),
        ]
        if let name { error["status"] = .string(name) }
        if let reason {
            error["details"] = .array([
                .object([
                    "@type": .string("type.googleapis.com/google.rpc.ErrorInfo"), "reason": .string(reason),
                    "domain": .string("googleapis.com"),
                ])
            ])
        }
        return .json(.object(["error": .object(error)]), status: status)
    }
}
