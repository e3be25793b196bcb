public import DesktopSupport
public import FoundationEssentials

/// A request to a server.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: Method
    /// The absolute URL: `https`, or `http` if the client's policy allows it.
    public var url: URL
    /// The header fields. The transport adds `Host`, `Content-Length` and similar fields.
    public var headers: HTTPHeaders
    /// The body, or nil. Its `Content-Type` is one of the headers.
    public var body: [UInt8]?

    /// Creates a request.
    public init(_ method: Method = .get, _ url: URL, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// An HTTP method.
    public struct Method: RawRepresentable, Sendable, Hashable {
        /// The method's name, in capitals.
        public let rawValue: String

        /// Creates a method from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Reads a resource.
        public static let get = Method(rawValue: "GET")
        /// Sends data for the server to process.
        public static let post = Method(rawValue: "POST")
        /// Stores or replaces a resource.
        public static let put = Method(rawValue: "PUT")
        /// Changes parts of a resource.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes a resource.
        public static let delete = Method(rawValue: "DELETE")
    }
}

extension HTTPRequest: Redacted {
    /// The method and the origin only; path, query, headers and body may contain tokens.
    public var description: String {
        "\(method.rawValue) \(HTTPOrigin(url)?.description ?? "an address without a host")"
    }

    /// Shows the same as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
