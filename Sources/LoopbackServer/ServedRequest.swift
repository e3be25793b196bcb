package import SharedAuthHTTP

/// A request that came to a ``LoopbackServer``.
package struct ServedRequest: Sendable {
    /// Which one it is, from 1.
    package let number: Int
    package let method: String
    /// The path without escapes, such as `/v1/accounts:signUp`.
    package let path: String
    package let query: FormFields
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// The address that it came from.
    package let client: String

    /// The parts of the path.
    package var pathParts: [String] { path.split(separator: "/").map(String.init) }

    /// The fields of a form; none if the body is no form.
    package var form: FormFields { type == "application/x-www-form-urlencoded" ? FormFields(text) : FormFields("") }

    /// The object in the body; nil if it is none.
    package var json: JSONObject? { JSONObject(body) }

    /// Whether it says that its body is JSON, which no form of a page in a browser can say.
    package var isJSON: Bool { type == "application/json" }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    private var type: String? {
        headers["Content-Type"].map { type in String(type.prefix { $0 != ";" && $0 != " " }).lowercased() }
    }
}
