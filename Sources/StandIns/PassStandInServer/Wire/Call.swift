internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// A request to a route.
struct Call: Sendable {
    let request: ServedRequest
    /// The values of the path parameters of the route's pattern.
    var parameters: [String: String] = [:]

    init(_ request: ServedRequest) { self.request = request }

    subscript(header name: String) -> String? { request.headers[name] }

    /// Returns the value of a path parameter; the route's pattern must have it.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    var query: FormFields { request.query }
    var form: FormFields { request.form }

    /// The JSON in the body. Nil if the body is not JSON or its `Content-Type` is not, which excludes HTML forms.
    var json: JSONValue? { request.isJSON ? JSONValue(bytes: request.body) : nil }

    /// True if the header `X-Device-Info` describes the device with at least a model.
    var namesDevice: Bool {
        guard let header = self[header: "X-Device-Info"], let json = Data(base64Encoded: header) else { return false }
        return JSONValue(bytes: json)?["model"]?.string?.isEmpty == false
    }

    /// Returns the value of a cookie.
    func cookie(_ name: String) -> String? {
        self[header: "Cookie"]?.split(separator: ";").map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
