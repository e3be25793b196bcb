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

    static func gitHub(secret: String) async throws {
        // example
        let gitHub = OAuthClient.gitHub(clientID: "Iv1.0123456789abcdef", clientSecret: secret)
        let credential = try await OAuthSignIn(gitHub).credential()
        if case .oauth(let content) = credential.content, let token = content.accessToken?.token {
            try await showRepositories(token)
        }
        // end of example
    }

    static func deadSession(of auth: Auth, _ offerSignIn: @escaping @Sendable (String) -> Void) {
        // example
        _ = auth.addStateDidChangeListener { _, user in
            if let failure = user?.sessionFailure { offerSignIn(failure.message) }
        }
        // end of example
    }

    private static func showRepositories(_ token: String) async throws {}

    static func endSession(at company: OpenIDConnect, _ open: (URL) -> Void) async throws {
        // example
        try await Auth.auth().signOut(timeout: .seconds(5))
        if let page = try await company.endSessionURL() { open(page) }
        // end of example
    }
}
