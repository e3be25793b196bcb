import BrowserFlow
import FoundationEssentials
import OpenIDConnect
import SharedAuth

// The code of OpenIDConnect's pages.

enum OpenIDExamples {
    static func configure() throws {
        // example
        let company = OpenIDConnect(
            OpenIDClient(issuerURL: "https://id.example.com/realms/staff", clientID: "desktop")
        )
        try AuthApp.configure(
            AuthApp.Options(appID: "com.example.Mail", identityProvider: .openIDConnect(company))
        )
        // end of example
    }

    static func signIn(at company: OpenIDConnect) async throws {
        // example
        let result = try await Auth.auth().signIn(with: OpenIDSignIn(company))
        print(result.user.uid)
        // end of example
    }

    static func google() {
        // example
        let client = OpenIDClient(
            issuerURL: "https://accounts.google.com",
            clientID: "1234.apps.googleusercontent.com",
            clientSecret: "the secret that Google shows for the desktop client"
        )
        // end of example
        _ = client
    }

    static func tenants() {
        // example
        var client = OpenIDClient(issuerURL: "https://login.example.com/common/v2.0", clientID: "desktop")
        client.issuerTemplate = "https://login.example.com/{tenantid}/v2.0"
        // end of example
        _ = client
    }

    static func elsewhere(at company: OpenIDConnect, _ pastedAddress: String) async throws {
        // example
        let signIn = OpenIDSignIn(company)
        async let result = Auth.auth().signIn(with: signIn)
        try signIn.handle(redirect: pastedAddress)
        try await print(result.user.uid)
        // end of example
    }

    static func browser(at company: OpenIDConnect) async throws {
        // example
        var browser = BrowserSettings()
        browser.parameters = ["prompt": "login", "login_hint": "ada@example.com"]
        browser.redirectPort = 8765
        browser.page = BrowserPage(title: "Signed in to Mail", message: "Close this page, and go back to Mail.")
        try await Auth.auth().signIn(with: OpenIDSignIn(company, browser: browser))
        // end of example
    }

    static func device(at company: OpenIDConnect) async throws {
        // example
        let signIn = DeviceSignIn(company) { code in
            print("Open \(code.verificationURL) on any device, and enter \(code.userCode).")
        }
        try await Auth.auth().signIn(with: signIn)
        // end of example
    }

    static func accessToken(of user: User) async throws {
        // example
        let token = try await user.accessToken(forScopes: ["mail.read"])
        // end of example
        _ = token
    }

    static func oauth() async throws {
        // example
        let feeds = OAuth2(
            OAuthClient(
                OAuthServer(issuerURL: "https://feeds.example.com"),
                registering: OAuthRegistration(clientName: "Feeds"),
                scopes: ["read"]
            )
        )
        try AuthApp.configure(AuthApp.Options(appID: "com.example.Feeds", identityProvider: .oauth2(feeds)))
        let user = try await Auth.auth().signIn(with: OAuthSignIn(feeds)).user
        let token = try await user.accessToken(forScopes: ["read"])
        // end of example
        _ = token
    }

    static func gitHub() {
        // example
        let server = OAuthServer(
            authorizationEndpoint: "https://github.com/login/oauth/authorize",
            tokenEndpoint: "https://github.com/login/oauth/access_token",
            deviceEndpoint: "https://github.com/login/device/code",
            user: .userInfo(at: "https://api.github.com/user", uid: "id")
        )
        let gitHub = OAuth2(OAuthClient(server, clientID: "Iv1.0123456789abcdef", scopes: ["read:user"]))
        // end of example
        _ = gitHub
    }

    static func deadSession(of auth: Auth, _ offerSignIn: @escaping @Sendable (String) -> Void) {
        // example
        _ = auth.addStateDidChangeListener { _, user in
            if let failure = user?.sessionFailure { offerSignIn(failure.message) }
        }
        // end of example
    }

    static func endSession(at company: OpenIDConnect, _ open: (URL) -> Void) async throws {
        // example
        try await Auth.auth().signOut(timeout: .seconds(5))
        if let page = try await company.endSessionURL() { open(page) }
        // end of example
    }
}
