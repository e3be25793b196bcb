import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

/// Tests what the refusal of each request means, as a table.
struct RefusalTests {
    typealias Request = ServerRefusal.Request
    typealias Verdict = ServerRefusal.Verdict

    /// A refusal of a refresh, and what it means without anything special and for some scopes.
    struct Row: Sendable, CustomTestStringConvertible {
        let refusal: ServerRefusal
        let plain: Verdict
        let narrowed: Verdict

        init(_ word: String, detail: String? = nil, status: Int? = 400, _ plain: Verdict, _ narrowed: Verdict) {
            refusal = ServerRefusal(word, detail: detail, status: status)
            (self.plain, self.narrowed) = (plain, narrowed)
        }

        var testDescription: String {
            "\(refusal.word) \(refusal.detail ?? "") \(refusal.status ?? 0)"
        }
    }

    static let rows: [Row] = [
        Row("invalid_grant", .ended, .unclear),
        Row("invalid_grant", status: 403, .ended, .unclear),
        Row("invalid_grant", status: 200, .ended, .unclear),
        Row("invalid_grant", detail: "bad_token", .ended, .unclear),
        Row("invalid_grant", detail: "token_expired", .ended, .unclear),
        Row("invalid_grant", detail: "consent_required", .signInAgain, .refused),
        Row("invalid_grant", detail: "basic_action", .signInAgain, .refused),
        Row("invalid_grant", detail: "invalid_rapt", .signInAgain, .refused),
        Row("invalid_grant", detail: "new_reason", .signInAgain, .refused),
        Row("invalid_grant", status: 500, .passing, .passing),
        Row("invalid_request", .signInAgain, .refused),
        Row("invalid_token", status: 401, .signInAgain, .refused),
        Row("bad_refresh_token", status: 200, .signInAgain, .refused),
        Row("invalid_scope", .signInAgain, .refused),
        Row("invalid_target", .signInAgain, .refused),
        Row("invalid_client", status: 401, .signInAgain, .refused),
        Row("unauthorized_client", .signInAgain, .refused),
        Row("unsupported_grant_type", .signInAgain, .refused),
        Row("access_denied", status: 403, .signInAgain, .refused),
        Row("interaction_required", .signInAgain, .refused),
        Row("login_required", .signInAgain, .refused),
        Row("consent_required", .signInAgain, .refused),
        Row("", .signInAgain, .refused),
        Row("a_new_word", .signInAgain, .refused),
        Row("invalid_request", status: 429, .passing, .passing),
        Row("slow_down", .passing, .passing),
        Row("temporarily_unavailable", status: 503, .passing, .passing),
        Row("temporarily_unavailable", .passing, .passing),
        Row("server_error", .passing, .passing),
        Row("a_new_word", status: 502, .passing, .passing),
    ]

    @Test("A refused refresh ends, repeats, or passes as its word, reason and status say", arguments: rows)
    func refresh(_ row: Row) {
        #expect(row.refusal.verdict(of: .refresh) == row.plain)
        #expect(row.refusal.verdict(of: .narrowedRefresh) == row.narrowed)
        let (plain, narrowed) = (row.refusal.error(of: .refresh), row.refusal.error(of: .narrowedRefresh))
        #expect((plain.code == .userTokenExpired) == (row.plain == .ended))
        #expect((narrowed.code == .userTokenExpired) == (row.narrowed == .unclear))
        for (error, verdict) in [(plain, row.plain), (narrowed, row.narrowed)] {
            let isPassing = [.webInternalError, .tooManyRequests].contains(error.code)
            #expect(isPassing == (verdict == .passing), "\(error)")
        }
        if row.plain == .signInAgain, plain.code != .invalidClientID {
            #expect(plain.code == .requiresRecentLogin && plain.remedy == "Sign in again.")
        }
    }

    @Test("A token unknown to the server is revoked; one of another refusal is not")
    func revocation() {
        for word in ["invalid_token", "invalid_grant", "token_inactive", "token_expired"] {
            #expect(ServerRefusal(word, status: 400).verdict(of: .revocation) == .ended)
            #expect(ServerRefusal(word, status: 503).verdict(of: .revocation) == .passing)
        }
        for word in ["invalid_client", "unsupported_token_type", "invalid_request", "a_new_word", ""] {
            #expect(ServerRefusal(word, status: 400).verdict(of: .revocation) == .refused)
        }
    }

    static let words = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_target", "access_denied", "unsupported_response_type", "server_error",
        "temporarily_unavailable", "interaction_required", "login_required", "account_selection_required",
        "consent_required", "invalid_request_uri", "invalid_request_object", "request_not_supported",
        "request_uri_not_supported", "registration_not_supported", "authorization_pending", "slow_down",
        "expired_token", "invalid_token", "insufficient_scope", "unsupported_token_type", "invalid_dpop_proof",
        "authorization_declined", "code_expired", "bad_verification_code", "token_expired", "bad_refresh_token",
        "redirect_uri_mismatch", "org_internal", "not_allowed", "a_new_word",
    ]

    @Test("Each word at each request is named, and told to pass only if it may", arguments: Request.allCases)
    func texts(_ request: Request) {
        for word in Self.words {
            let refusal = ServerRefusal(word, status: 400)
            let error = refusal.error(of: request)
            #expect(error.message.contains(word), "\(error)")
            #expect(
                error.text.contains("ry again") == (refusal.verdict(of: request) == .passing),
                "\(request) \(word): \(error.text)"
            )
            #expect(error.text.contains("prompt=none") == (request == .silentAuthorization && word.isOfInteraction))
            if request != .devicePoll { #expect(!error.text.contains("expired before")) }
        }
    }

    @Test(
        "The poll of a device tells a declined, an expired and a wrong code apart",
        arguments: [
            ("access_denied", AuthErrorCode.webContextCancelled), ("authorization_declined", .webContextCancelled),
            ("expired_token", .timedOut), ("code_expired", .timedOut), ("token_expired", .timedOut),
            ("bad_verification_code", .invalidCredential), ("incorrect_device_code", .invalidCredential),
            ("invalid_grant", .invalidCredential), ("invalid_client", .invalidClientID),
            ("org_internal", .operationNotAllowed),
        ]
    )
    func devicePoll(_ word: String, _ code: AuthErrorCode) {
        #expect(ServerRefusal(word, status: 400).error(of: .devicePoll).code == code)
    }

    @Test("A missing consent is a declined sign-in, unless the user was not to be asked")
    func consent() {
        let refusal = ServerRefusal("consent_required")
        #expect(refusal.error(of: .authorization).code == .webContextCancelled)
        #expect(refusal.error(of: .silentAuthorization).code == .requiresRecentLogin)
    }

    @Test("The answers of a server that failed speak of its log, also at a refresh")
    func serverError() {
        for request: Request in [.authorization, .codeExchange, .refresh, .narrowedRefresh, .deviceCode, .devicePoll] {
            let error = ServerRefusal("server_error", status: 400).error(of: request)
            #expect(error.remedy?.contains("log") == true && error.remedy?.contains("set RS256 or ES256") == true)
        }
    }
}

extension String {
    fileprivate var isOfInteraction: Bool { hasSuffix("_required") }
}
