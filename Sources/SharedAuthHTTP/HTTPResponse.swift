package import FoundationEssentials

/// A server's whole answer.
public struct HTTPResponse: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, decompressed; empty if there is none.
    public let body: [UInt8]

    /// Creates an answer; transports do.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is one of success, 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The time by the server's clock; nil if it does not say.
    package var date: Date? { headers["Date"].flatMap(HTTPDate.parse) }

    /// Returns the pause that the server asks for before the next request; nil if it asks for none.
    package func retryAfter(at date: Date) -> Duration? {
        headers["Retry-After"].flatMap { HTTPRetries.retryAfter($0, date) }
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size; headers and body may hold tokens.
    public var description: String { "status \(status), \(body.count) bytes" }

    /// As `description`.
    public var debugDescription: String { description }

    /// Shows what `description` does.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
