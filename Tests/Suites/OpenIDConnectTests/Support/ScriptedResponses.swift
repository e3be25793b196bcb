import Foundation
public import SharedAuth
import SharedAuthHTTP

extension HTTPResponse {
    static func json(_ members: [String: JSONValue], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: Array((try? JSONEncoder().encode(JSONValue.object(members))) ?? Data())
        )
    }

    /// Text members as a form.
    static func form(_ members: [String: JSONValue], status: Int = 200) -> HTTPResponse {
        let items = members.compactMap { name, value in value.string.map { (name: name, value: $0) } }
        return HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormEncoding.encode(items).utf8)
        )
    }

    static func refusal(_ word: String) -> HTTPResponse { .json(["error": .string(word)], status: 400) }

    static func page(_ status: Int = 200) -> HTTPResponse {
        let text = "<!doctype html><title>Log in to the guest network</title>"
        return HTTPResponse(status: status, headers: ["Content-Type": "text/html"], body: Array(text.utf8))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
}
