import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// A row of the table of spoilt responses: a flow, the endpoint whose response is spoilt, and the expected callbacks.
struct SpoiltFlow: Sendable, CustomTestStringConvertible {
    /// The kinds of spoilt responses that flows distinguish.
    enum Kind: Hashable {
        /// A failure of the network or of something on the way.
        case network
        /// A failure of the server.
        case failing
        /// A response that is empty of content or unreadable.
        case nonsense
        /// A refusal without a reason: 400 or 412; 403; 404 or 410; 401; 429.
        case refused, forbidden, missing, noAccess, throttled
    }

    let testDescription: String
    /// A part of the endpoint's path.
    let path: String
    var isPost = true
    var screen = AccessEnabler.Settings.Screen.first
    /// Indicates whether a user is signed in before the call (`isSignedIn`) and after a good response (`signsIn`).
    var isSignedIn = false
    var signsIn = false
    /// Prepares the app for the call; returns the address that a page redirected to, or an empty string.
    var prepare: @Sendable (ViewerApp, InProcessPass) async throws -> String = { _, _ in "" }
    let call: @Sendable (AccessEnabler, String) -> Void
    /// The call after a failure; by default the same. It begins with `nextCallback`; a page or code is then completed.
    var next: (@Sendable (AccessEnabler, String) -> Void)?
    let nextCallback: String
    /// The callbacks after the server's own response, with the clock set wrong at that moment.
    let good: [String]
    /// The report of each kind; `report` applies to kinds without an entry in `reports`.
    let report: String
    var reports: [Kind: String] = [:]
    /// The callbacks of a failure with this report.
    let failure: @Sendable (String) -> [String]

    /// Returns the expected callbacks.
    func callbacks(after spoilt: SpoilingRelay.Spoilt) -> [String] {
        if spoilt.isJump || path == "/logout/" && !isSignedIn && spoilt.isNothing { return good }
        return failure(reports[kind(of: spoilt)] ?? report)
    }

    /// The prefixes of the flow's last callback: for every response, one of them arrives.
    var ends: [String] { [good.last ?? "", String((failure("").last ?? "").prefix { $0 != "(" })] }

    /// Indicates whether the request has no access token, so that a 401 is an ordinary refusal.
    private var isOfRegistration: Bool { path.hasPrefix("/o/") }

    private func kind(of spoilt: SpoilingRelay.Spoilt) -> Kind {
        switch (spoilt.form, spoilt.status) {
        case (_, 429): .throttled
        case (_, 500...): .failing
        case (_, 302), (.cut, _), (.half, _), (.slow, _): .network
        // The outcome of a POST is unknown.
        case (.huge, _): isPost ? .network : .nonsense
        case (_, 204): .nonsense
        case (_, 404): .missing
        case (_, 401) where !isOfRegistration: .noAccess
        case (.page, _): .network
        case (_, 200): .nonsense
        case (_, 401): .refused
        case (_, 403): .forbidden
        case (_, 410): .missing
        default: .refused
        }
    }
}

extension SpoilingRelay.Spoilt {
    /// Indicates whether the response is the server's own and the clock jumps.
    var isJump: Bool { form == .clockAhead || form == .clockBack }
    /// Indicates whether the response is an empty object.
    var isNothing: Bool { status == 200 && form == .blank }
}

extension SpoiltFlow {
    static let all = [
        configuring("register, for a new app", "/o/client/register", otherwise: "R400"),
        configuring("token, for a new app", "/o/client/token", otherwise: "R401"),
        SpoiltFlow(
            testDescription: "configuration",
            path: "/configuration",
            isPost: false,
            isSignedIn: true,
            signsIn: true,
            prepare: signedIn,
            call: configure,
            nextCallback: "requestorComplete(1)",
            good: ["status(CFG100)", "requestorComplete(1)"],
            report: "CFG500",
            reports: [.network: "CFG404", .missing: "CFG404", .noAccess: "R401", .throttled: "CFG429"],
            failure: { ["status(\($0))", "requestorComplete(0)"] }
        ),
        signingIn("sessions", "/sessions", prepare: started, call: signIn, good: ["navigation(plain)"]),
        signingIn(
            "sessions, second screen",
            "/sessions",
            screen: .second,
            prepare: started,
            call: signIn,
            good: ["status(REGCODE)"]
        ),
        signingIn(
            "profile-of-code",
            "/profiles/code/",
            signsIn: true,
            prepare: atPage,
            call: comeBack,
            // The server knows the user by now, so no page is shown.
            next: signIn,
            good: ["authentication(1)"]
        ),
        signingIn(
            "profile, of a user whom the server knows",
            "/profiles/Cable",
            signsIn: true,
            prepare: knownToServer,
            call: signIn,
            good: ["authentication(1)"]
        ),
        signingIn(
            "logout, in a forced sign-in",
            "/logout/",
            isSignedIn: true,
            signsIn: true,
            prepare: signedIn,
            call: force,
            // A failure clears the choice of a TV provider.
            next: { enabler, address in
                enabler.setSelectedProvider("Cable")
                force(enabler, address)
            },
            good: ["navigation(plain)"]
        ),
        authorizing("authorize", "/decisions/authorize/", [.forbidden: "Z100"], prepare: signedIn),
        authorizing("authorize, for a media token", "/decisions/authorize/", [.forbidden: "Z100"], prepare: authorized),
        authorizing("token, renewed", "/o/client/token", prepare: withoutAccessToken),
        SpoiltFlow(
            testDescription: "preauthorize",
            path: "/decisions/preauthorize/",
            isSignedIn: true,
            signsIn: true,
            prepare: signedIn,
            call: { enabler, _ in enabler.checkPreauthorizedResources(["a"], cache: false) },
            nextCallback: "preauthorized(1)",
            good: ["preauthorized(1)"],
            report: "P100",
            failure: { ["status(\($0))", "preauthorized(none)"] }
        ),
        SpoiltFlow(
            testDescription: "logout",
            path: "/logout/",
            isPost: false,
            prepare: { app, standIn in
                try await app.start()
                try await app.signIn("NoLogOut", at: standIn)
                return ""
            },
            call: { enabler, _ in enabler.logout() },
            next: signIn,
            nextCallback: "navigation(plain)",
            good: ["authentication(0, User Not Authenticated Error)", "loggedOut"],
            report: "LOGOUT500",
            failure: { ["status(\($0))", "authentication(0, User Not Authenticated Error)", "loggedOut"] }
        ),
    ]

    /// Returns the flow of a new app's configuration.
    private static func configuring(_ name: String, _ path: String, otherwise report: String) -> SpoiltFlow {
        SpoiltFlow(
            testDescription: name,
            path: path,
            call: configure,
            nextCallback: "requestorComplete(1)",
            good: ["status(CFG100)", "requestorComplete(1)"],
            report: report,
            reports: [
                .network: "CFG404", .missing: "CFG404", .failing: "CFG500", .nonsense: "CFG500", .throttled: "CFG429",
            ],
            failure: { ["status(\($0))", "requestorComplete(0)"] }
        )
    }

    /// Returns the flow of a sign-in. Most reasons for a missing page have the same report.
    private static func signingIn(
        _ name: String,
        _ path: String,
        screen: AccessEnabler.Settings.Screen = .first,
        isSignedIn: Bool = false,
        signsIn: Bool = false,
        prepare: @escaping @Sendable (ViewerApp, InProcessPass) async throws -> String,
        call: @escaping @Sendable (AccessEnabler, String) -> Void,
        next: (@Sendable (AccessEnabler, String) -> Void)? = nil,
        good: [String]
    ) -> SpoiltFlow {
        SpoiltFlow(
            testDescription: name,
            path: path,
            isPost: path == "/sessions",
            screen: screen,
            isSignedIn: isSignedIn,
            signsIn: signsIn,
            prepare: prepare,
            call: call,
            next: next,
            nextCallback: good[0],
            good: good,
            report: screen == .second ? "REG500" : "N500",
            reports: [.noAccess: "R401"],
            failure: { ["status(\($0))", "authentication(0, Generic Authentication Error)"] }
        )
    }

    /// Returns the flow of an authorization.
    private static func authorizing(
        _ name: String,
        _ path: String,
        _ reports: [Kind: String] = [:],
        prepare: @escaping @Sendable (ViewerApp, InProcessPass) async throws -> String
    ) -> SpoiltFlow {
        let words = ["Z100": "User not", "Z120": "Generic"]
        return SpoiltFlow(
            testDescription: name,
            path: path,
            isSignedIn: true,
            signsIn: true,
            prepare: prepare,
            call: { enabler, _ in enabler.checkAuthorization("news-live") },
            nextCallback: "token",
            good: ["token"],
            report: "Z500",
            reports: [.network: "Z120", .failing: "Z120", .throttled: "Z100"].merging(reports) { $1 },
            failure: { report in
                let error = report == "Z100" ? "User not Authorized" : "\(words[report] ?? "Internal") Authorization"
                return ["status(\(report))", "tokenRequestFailed(\(error) Error)"]
            }
        )
    }
}

/// The calls of the flows.
extension SpoiltFlow {
    private static let configure: @Sendable (AccessEnabler, String) -> Void = { enabler, _ in
        enabler.setRequestor("ExampleNews")
    }
    private static let signIn: @Sendable (AccessEnabler, String) -> Void = { enabler, _ in
        enabler.setSelectedProvider("Cable")
        enabler.getAuthentication()
    }
    /// A browser may follow a redirect twice.
    private static let comeBack: @Sendable (AccessEnabler, String) -> Void = { enabler, address in
        for _ in 1...2 { enabler.handleExternalURL(address) }
    }
    private static let force: @Sendable (AccessEnabler, String) -> Void = { enabler, _ in
        enabler.getAuthentication(true)
    }
}

/// The steps before the calls.
extension SpoiltFlow {
    @Sendable private static func started(_ app: ViewerApp, _ standIn: InProcessPass) async throws -> String {
        try await app.start()
        return ""
    }

    @Sendable private static func signedIn(_ app: ViewerApp, _ standIn: InProcessPass) async throws -> String {
        try await app.start()
        try await app.signIn(at: standIn)
        return ""
    }

    /// The user has completed the page.
    @Sendable private static func atPage(_ app: ViewerApp, _ standIn: InProcessPass) async throws -> String {
        try await app.start()
        return try await standIn.signIn(at: try await app.page())
    }

    /// The server knows the user, and the app does not.
    @Sendable private static func knownToServer(_ app: ViewerApp, _ standIn: InProcessPass) async throws -> String {
        let address = try await atPage(app, standIn)
        app.enabler.setSelectedProvider(nil)
        _ = await app.hear(until: "authentication")
        return address
    }

    /// The authorization is stored.
    @Sendable private static func authorized(_ app: ViewerApp, _ standIn: InProcessPass) async throws -> String {
        _ = try await signedIn(app, standIn)
        _ = try await app.enabler.checkAuthorization("news-live")
        _ = await app.hear(until: "token")
        return ""
    }

    @Sendable private static func withoutAccessToken(
        _ app: ViewerApp,
        _ standIn: InProcessPass
    ) async throws -> String {
        _ = try await signedIn(app, standIn)
        try await standIn.turn("forget", #"{"what": "access-tokens"}"#)
        return ""
    }
}
