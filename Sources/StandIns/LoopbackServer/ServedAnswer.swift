package import SharedAuth
package import SharedAuthHTTP

/// A response of a ``LoopbackServer``, or a fault in place of one.
///
/// To delay a response, wait in the handler: for a duration, or at a ``Gate``.
package struct ServedAnswer: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: [UInt8]
    package var delivery = Delivery.whole

    package init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The part of the response that is sent.
    package enum Delivery: Sendable, Hashable {
        case whole
        /// The connection is cut before the first byte.
        case nothing
        /// The connection is cut after the headers, which announce the whole body, and this many bytes of the body.
        case bodyPrefix(Int)
    }
}

extension ServedAnswer {
    package static func json(_ value: JSONValue, status: Int = 200, headers: HTTPHeaders = [:]) -> ServedAnswer {
        content(value.bytes, type: "application/json; charset=utf-8", status: status, headers: headers)
    }

    package static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> ServedAnswer {
        content(Array(text.utf8), type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns an HTML page. Its headers forbid scripts, external content and referrers.
    package static func page(_ page: HTMLPage, status: Int = 200, headers: HTTPHeaders = [:]) -> ServedAnswer {
        var answer = content(Array(page.html.utf8), type: "text/html; charset=utf-8", status: status, headers: headers)
        answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
        answer.headers["Referrer-Policy"] = "no-referrer"
        return answer
    }

    /// Returns a redirect. With 303, the browser sends a GET request; with 307, it repeats the request.
    package static func redirect(to address: String, status: Int = 303) -> ServedAnswer {
        ServedAnswer(status: status, headers: ["Location": address, "Cache-Control": "no-store"])
    }

    private static func content(
        _ body: [UInt8],
        type: String,
        status: Int = 200,
        headers: HTTPHeaders = [:]
    ) -> ServedAnswer {
        var answer = ServedAnswer(status: status, headers: headers, body: body)
        answer.headers["Content-Type"] = type
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer
    }
}

/// Faults of bad servers and networks.
extension ServedAnswer {
    /// Returns status 429 with `Retry-After`.
    package static func tooMany(retryAfter seconds: Int) -> ServedAnswer {
        text("Too many requests.\n", status: 429, headers: ["Retry-After": "\(seconds)"])
    }

    /// Returns a response with a body that is too long for any client, such as 50,000,000 bytes.
    package static func flood(bytes: Int) -> ServedAnswer {
        content([UInt8](repeating: UInt8(ascii: " "), count: bytes), type: "application/json; charset=utf-8")
    }

    /// A fault: the connection is cut before the first byte of the response.
    package static let cut: ServedAnswer = {
        var answer = ServedAnswer()
        answer.delivery = .nothing
        return answer
    }()

    /// The same response, cut in the middle of its body.
    package var half: ServedAnswer {
        var answer = self
        answer.delivery = .bodyPrefix(body.count / 2)
        return answer
    }
}
