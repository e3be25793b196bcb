internal import FoundationEssentials

/// Applies the policy to a request or a redirect, without side effects.
struct HTTPRules: Sendable {
    let policy: HTTPPolicy

    /// Throws for a request that must not be sent.
    func check(_ request: HTTPRequest) throws(HTTPError) {
        guard let origin = HTTPOrigin(request.url) else {
            throw HTTPError(.invalidRequest, "The URL is not an https URL with a host.")
        }
        let isPlainAllowed = origin.isLoopback || policy.plainHosts.contains { $0.lowercased() == origin.host }
        guard origin.scheme == "https" || isPlainAllowed else {
            throw HTTPError(
                .notHTTPS,
                "\(origin) is not secure, so the request was not sent.",
                remedy: "Use its https URL; for a test server, add its host to HTTPPolicy.plainHosts."
            )
        }
        guard request.url.user() == nil, request.url.password() == nil else {
            throw HTTPError(
                .invalidRequest,
                "The URL of \(origin) has a user name, which may only be sent in a header."
            )
        }
        guard Self.isToken(request.method.rawValue),
            request.headers.fields.allSatisfy({ Self.isToken($0.name) && Self.isValue($0.value) })
        else {
            throw HTTPError(
                .invalidRequest,
                "The method or a header for \(origin) has a character that is not allowed."
            )
        }
    }

    /// Returns the request that a response redirects to, or nil if it is not a redirect.
    ///
    /// - Parameter count: The number of redirects followed since the request was last sent to its original URL.
    func redirect(of request: HTTPRequest, by response: HTTPResponse, after count: Int) throws(HTTPError)
        -> HTTPRequest?
    {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
        let origin = HTTPOrigin(request.url)
        let server = origin?.description ?? "the server"
        guard request.method == .get else {
            throw Self.badRedirect("\(server) redirects a \(request.method.rawValue) request, which is not followed.")
        }
        guard let location = response.headers["Location"],
            let target = URL(string: location, relativeTo: request.url)?.absoluteURL, let other = HTTPOrigin(target)
        else { throw Self.badRedirect("\(server) redirects to a malformed URL.") }
        guard other == origin else {
            throw Self.badRedirect("\(server) redirects to \(other), another server, which is not followed.")
        }
        guard count < policy.redirectLimit else {
            throw Self.badRedirect("\(server) redirects more than \(policy.redirectLimit) times.")
        }
        var next = request
        next.url = target
        return next
    }

    private static func badRedirect(_ message: String) -> HTTPError {
        HTTPError(
            .badRedirect,
            message,
            remedy: "If the network requires a login, open a browser and log in first."
        )
    }

    /// See https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Returns whether a header's value has only allowed characters. A line break would begin another header.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in (0x20...0x7e).contains(byte) || byte == UInt8(ascii: "\t") }
    }
}
