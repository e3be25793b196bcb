import PassAuth
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

    static func backEnd(pem: String, token: String) throws {
        // example
        let verifier = MediaTokenVerifier(publicKey: try TokenPublicKey(pem: pem), requestor: "ExampleNews")
        let verification = verifier.verify(token, resource: "news-live")
        if verification.isValid, let id = verification.token?.id { print("accepted \(id)") }
        // end of example
    }
}
