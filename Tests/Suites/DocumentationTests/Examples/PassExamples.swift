import PassAuth
import PassREST
import SecretService
import SharedAuth

// The code of the article "Adobe Pass".

enum PassExamples {
    static func app() throws {
        // example
        let setup = try PassSetup(
            appID: "com.example.tv.News",
            teamID: "TEAM1",
            like: .sdk3,
            in: SecretServiceRecordStore(SecretService())
        )
        let store = try setup.tokens(inGroup: "TEAM1.example.pass")
        let programmer = RequestorConfiguration(
            id: "ExampleNews",
            integrations: [MVPDIntegration(mvpd: "ExampleCable")]
        )

        _ = try store.configure(programmer)
        if let session = try store.session(of: programmer) {
            print("signed in with \(session.token.mvpd)")
        }
        // end of example
    }

    static func entitlement(_ statement: String, _ tokens: PassTokenStore, _ backEnd: any PassBackend) async throws {
        // example
        final class Player: EntitlementDelegate, EntitlementStatus {
            func setRequestorComplete(_ status: Int) {}
            func displayProviderDialog(_ mvpds: [MVPD]) { print("choose:", mvpds.map(\.displayName)) }
            func navigate(toUrl url: String) { print("open \(url)") }
            func setAuthenticationStatus(_ status: Int, errorCode: String) {}
            func setToken(_ token: String, forResource resource: String) { print("play \(resource)") }
            func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
                print(errorCode)
            }
            func preauthorizedResources(_ resources: [String]?) {}
            func selectedProvider(_ mvpd: MVPD?) {}
            func setMetadataStatus(
                _ metadata: JSONValue?,
                encrypted: Bool,
                forKey key: Int,
                andArguments arguments: [String: String]
            ) {}
            func status(_ statusDictionary: [String: String]) { print(statusDictionary["errorId"] ?? "") }
        }

        let enabler = AccessEnabler(statement, tokens: tokens, backEnd: backEnd)
        let player = Player()
        enabler.delegate = player

        try await enabler.setRequestor("ExampleNews")
        let mediaToken = try await enabler.getAuthorization("news-live")
        // end of example
        print(mediaToken.count)
    }

    static func servers(_ address: String, _ setup: PassSetup, _ statement: String) async throws {
        // example
        let endpoints = try PassEndpoints(api: address)
        let backEnd = PassRESTBackend(endpoints, clients: setup.clients)
        let tokens = try setup.tokens(inGroup: "TEAM1.example.pass")
        let enabler = AccessEnabler(statement, tokens: tokens, backEnd: backEnd)
        try await enabler.setRequestor("ExampleNews")
        // end of example
    }

    /// The app's server, which authenticates the app's users.
    struct Service {
        func signedStatement() async throws -> String { "" }
    }

    static func group(_ endpoints: PassEndpoints, _ setup: PassSetup, _ service: Service) {
        // example
        var settings = PassRESTBackend.Settings()
        settings.serviceToken = { try await service.signedStatement() }
        let backEnd = PassRESTBackend(endpoints, clients: setup.clients, settings: settings)
        // end of example
        print(backEnd)
    }

    static func backEnd(pem: String, token: String) throws {
        // example
        let verifier = MediaTokenVerifier(publicKey: try TokenPublicKey(pem: pem), requestor: "ExampleNews")
        let verification = verifier.verify(token, resource: "news-live")
        if verification.isValid, let id = verification.token?.id { print("accepted \(id)") }
        // end of example
    }
}
