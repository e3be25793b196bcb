internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// A response from Pass, or from a proxy or network portal in between.
struct ServerAnswer: Sendable {
    private let response: HTTPResponse
    private let body: JSONObject?
    /// The time of day on this machine.
    private let date: Date

    init(_ response: HTTPResponse, at date: Date) {
        self.response = response
        self.date = date
        body = JSONObject(response.body)
    }

    /// The `error` of an OAuth error response, as dynamic client registration uses it; nil for any other response.
    var word: String? { (400...403).contains(response.status) ? body?.string("error") : nil }

    /// The refusal of the access token or of the client, if the response is one.
    var refusal: AccessRefusal {
        if word == "invalid_client" { return .client }
        guard response.status == 401 else { return .none }
        return switch details?.string("code") {
        case "invalid_access_token_client_application": .client
        case "invalid_access_token_service_provider": .programmer
        default: .token
        }
    }

    /// Returns the JSON object of a successful response.
    ///
    /// - Throws: The error that the response reports; `network` for a response that is not from Pass.
    func object() throws(PassBackendError) -> JSONObject {
        if response.isSuccess {
            if let body { return body }
            throw isPage ? page : PassBackendError(.invalidAnswer, "The response from Pass is damaged or not JSON.")
        }
        if response.status == 429 {
            throw PassBackendError(
                .throttled,
                "Too many requests to Pass. Try again later.",
                retryAfter: response.retryAfter(at: date)
            )
        }
        if let details, details.string("code") != nil { throw PassBackendError(details, status: response.status) }
        // With status 404 or 5xx (except 511), a page is from the server itself, not from the network.
        if body == nil, isPage, response.status < 500 && response.status != 404 || response.status == 511 { throw page }
        let code = ErrorCatalogue.code(ofStatus: response.status)
        throw PassBackendError(code, "Pass refused the request with status \(response.status).")
    }

    /// The members of an error. Some servers nest them in `error`.
    private var details: JSONObject? { body.flatMap { JSONObject($0.members["error"]) ?? $0 } }

    /// True if the response is an HTML page. Pass sends JSON; pages are from the network, such as a captive portal.
    private var isPage: Bool {
        let start = String(decoding: response.body.drop { $0 <= 0x20 }.prefix(9), as: UTF8.self).lowercased()
        return start.hasPrefix("<html") || start.hasPrefix("<!doctype")
            || response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    }

    private var page: PassBackendError {
        PassBackendError(
            .network,
            "The network returned a page instead of the response from Pass. Log in to the network, or check the proxy."
        )
    }
}

extension PassBackendError {
    /// Creates an error from Pass's JSON form of it.
    ///
    /// - Parameter status: The status of the whole response, used if the error has none.
    init(_ details: JSONObject, status: Int) {
        let word = details.string("code") ?? ""
        let number = details.members["status"]?.number.flatMap { Int(exactly: $0) } ?? status
        let code = ErrorCatalogue.code(of: word, status: number) ?? ErrorCatalogue.code(ofStatus: number)
        var report = PreauthorizeResponse.Status(
            status: number,
            code: word,
            message: details.string("message") ?? "",
            action: details.string("action") ?? "none"
        )
        (report.details, report.helpUrl) = (details.string("details"), details.string("helpUrl"))
        report.trace = details.string("trace")
        // For a refusal, the user sees the TV provider's own text or no text.
        let words = code == .denied ? report.details : report.details ?? details.string("message")
        self.init(code, words ?? (code == .denied ? "" : word), serverStatus: report)
    }
}
