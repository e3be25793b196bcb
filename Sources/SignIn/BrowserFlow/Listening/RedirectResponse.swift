/// The responses of the listener.
enum RedirectResponse {
    /// Returns the final page.
    static func page(_ page: BrowserPage) -> [UInt8] {
        bytes(200, "text/html; charset=utf-8", page.html)
    }

    /// Returns a refusal, which tells a user at the browser what to do.
    static func refusal(_ refusal: RedirectRefusal) -> [UInt8] {
        let page = BrowserPage(title: "Not signed in", message: "\(refusal.reason). \(refusal.remedy)")
        return bytes(refusal.status, "text/html; charset=utf-8", page.html)
    }

    private static let reasons = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 414: "URI Too Long",
    ]

    /// Returns a response. It contains nothing of the request, and nothing that a browser would run, cache or pass on.
    private static func bytes(_ status: Int, _ type: String, _ body: String) -> [UInt8] {
        var lines = [
            "HTTP/1.1 \(status) \(reasons[status] ?? "Refused")",
            "Content-Type: \(type)",
            "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy: same-origin",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
            "Connection: close",
        ]
        if status == 405 { lines.append("Allow: GET") }
        return Array((lines + ["", body]).joined(separator: "\r\n").utf8)
    }
}
