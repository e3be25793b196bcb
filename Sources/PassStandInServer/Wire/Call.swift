internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// A request at a route.
struct Call: Sendable {
    let request: ServedRequest
    /// The values of the route's pattern in the path.
    var parameters: [String: String] = [:]

    init(_ request: ServedRequest) { self.request = request }

    subscript(header name: String) -> String? { request.headers[name] }

    /// Returns a value of the route's pattern in the path, which has it.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    var query: FormFields { request.query }
    var form: FormFields { request.form }

    /// The JSON that was posted; nil if it is none, or does not say so, as no form of a page in a browser can.
    var json: JSONValue? { request.isJSON ? JSONValue(bytes: request.body) : nil }

    /// Whether its header says what the device is: the model at least, which every device knows.
    var namesDevice: Bool {
        guard let header = self[header: "X-Device-Info"], let json = Data(base64Encoded: header) else { return false }
        return JSONValue(bytes: json)?["model"]?.string?.isEmpty == false
    }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        self[header: "Cookie"]?.split(separator: ";").map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
