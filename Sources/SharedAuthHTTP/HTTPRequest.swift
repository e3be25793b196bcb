public import FoundationEssentials

/// One request to a server.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: Method
    /// The absolute address: `https`, or `http` where the client's policy allows it.
    public var url: URL
    /// The header fields; the transport adds `Host`, `Content-Length` and the like.
    public var headers: HTTPHeaders
    /// The body, if there is one; its `Content-Type` is one of the headers.
    public var body: [UInt8]?

    /// Creates a request.
    public init(_ method: Method = .get, _ url: URL, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A method of HTTP.
    public struct Method: RawRepresentable, Sendable, Hashable {
        /// The word that is sent, in capitals.
        public let rawValue: String

        /// A method by its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Reads.
        public static let get = Method(rawValue: "GET")
        /// Sends something for the server to act on.
        public static let post = Method(rawValue: "POST")
        /// Stores or replaces.
        public static let put = Method(rawValue: "PUT")
        /// Changes in part.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes.
        public static let delete = Method(rawValue: "DELETE")
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the origin; path, query, headers and body may hold tokens.
    public var description: String {
        "\(method.rawValue) \(HTTPOrigin(url)?.description ?? "an address without a host")"
    }

    /// As `description`.
    public var debugDescription: String { description }

    /// Shows what `description` does.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
