internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// An answer that came, of Pass or of something on the way there.
struct ServerAnswer: Sendable {
    private let response: HTTPResponse
    private let body: JSONObject?
    /// The time of day here.
    private let date: Date

    init(_ response: HTTPResponse, at date: Date) {
        self.response = response
        self.date = date
        body = JSONObject(response.body)
    }

    /// The word of a refusal in the form of OAuth, as dynamic client registration has them; nil for any other answer.
    var word: String? { (400...403).contains(response.status) ? body?.string("error") : nil }

    /// The refusal of the access token or the client, with which every call is sent.
    var refusal: AccessRefusal {
        if word == "invalid_client" { return .client }
        guard response.status == 401 else { return .none }
        return switch details?.string("code") {
        case "invalid_access_token_client_application": .client
        case "invalid_access_token_service_provider": .programmer
        default: .token
        }
    }

    /// Returns the content of the answer.
    ///
    /// - Throws: what it says is wrong; `network` for what is not Pass's.
    func object() throws(PassBackendError) -> JSONObject {
        if response.isSuccess {
            if let body { return body }
            throw isPage ? page : PassBackendError(.invalidAnswer, "The answer of Pass is damaged, or no JSON.")
        }
        if response.status == 429 {
            throw PassBackendError(
                .throttled,
                "Pass was asked too often. Try again later.",
                retryAfter: response.retryAfter(at: date)
            )
        }
        if let details, details.string("code") != nil { throw PassBackendError(details, status: response.status) }
        // Pages of failing servers, and of what is not there, are these servers' own.
        if body == nil, isPage, response.status < 500 && response.status != 404 || response.status == 511 { throw page }
        let code = ErrorCatalogue.code(ofStatus: response.status)
        throw PassBackendError(code, "Pass refused with the status \(response.status).")
    }

    /// The members of an error, which some write within `error`.
    private var details: JSONObject? { body.flatMap { JSONObject($0.members["error"]) ?? $0 } }

    /// Whether it is for a browser: pages come from what is between, such as the portal of a network.
    private var isPage: Bool {
        let start = String(decoding: response.body.drop { $0 <= 0x20 }.prefix(9), as: UTF8.self).lowercased()
        return start.hasPrefix("<html") || start.hasPrefix("<!doctype")
            || response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    }

    private var page: PassBackendError {
        PassBackendError(
            .network,
            "In place of Pass, the network answered with a page of its own. Log in to the network, or check the proxy."
        )
    }
}

extension PassBackendError {
    /// An error in Pass's own form.
    ///
    /// - Parameter status: the status of the whole answer, for an error that names none.
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
        // Of a refusal people read the TV provider's own words, or none.
        let words = code == .denied ? report.details : report.details ?? details.string("message")
        self.init(code, words ?? (code == .denied ? "" : word), serverStatus: report)
    }
}
