public import DesktopSupport
package import FoundationEssentials

/// A server's complete response.
public struct HTTPResponse: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, decompressed; empty if there is none.
    public let body: [UInt8]

    /// Creates a response, in a transport.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Indicates whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The time by the server's clock, or nil if the response does not have it.
    package var date: Date? { headers["Date"].flatMap(HTTPDate.parse) }

    /// Returns the pause that the server requests before the next request, or nil.
    package func retryAfter(at date: Date) -> Duration? {
        headers["Retry-After"].flatMap { HTTPRetries.retryAfter($0, date) }
    }
}

extension HTTPResponse: Redacted {
    /// The status and the size only; headers and body may contain tokens.
    public var description: String { "status \(status), \(body.count) bytes" }

    /// Shows the same as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
