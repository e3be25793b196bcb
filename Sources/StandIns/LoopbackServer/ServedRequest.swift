package import SharedAuthHTTP

/// A request to a ``LoopbackServer``.
package struct ServedRequest: Sendable {
    /// The serial number of the request, from 1.
    package let number: Int
    package let method: String
    /// The unescaped path, such as `/v1/accounts:signUp`.
    package let path: String
    package let query: FormFields
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// The address of the client.
    package let client: String

    /// The components of the path.
    package var pathParts: [String] { path.split(separator: "/").map(String.init) }

    /// The fields of a form; empty if the body is not a form.
    package var form: FormFields { type == "application/x-www-form-urlencoded" ? FormFields(text) : FormFields("") }

    /// The JSON object in the body; nil for any other body.
    package var json: JSONObject? { JSONObject(body) }

    /// True if the `Content-Type` is JSON, which an HTML form in a browser cannot send.
    package var isJSON: Bool { type == "application/json" }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    private var type: String? {
        headers["Content-Type"].map { type in String(type.prefix { $0 != ";" && $0 != " " }).lowercased() }
    }
}
