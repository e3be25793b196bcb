import IdentityProviderContract
import SharedAuth

/// Signs in at a company's server with the app's own identity provider, and checks that provider against the contract.
@main
struct Company {
    static func main() async throws {
        let server = CompanyServer()
        await server.enrol("Ada", mail: "ada@example.com", password: "secret-1")
        try await play(server)
        try await check(server)
    }

    private static func play(_ server: CompanyServer) async throws {
        // example
        var options = AuthApp.Options(appID: "com.example.Company")
        options.identityProvider = IdentityProviderFactory { _ in CompanyIdentity(server: server) }
        // end of example
        options.store = .inMemory()
        let auth = Auth.auth(app: try AuthApp.configure(options))
        let user = try await auth.signIn(withEmail: "ada@example.com", password: "secret-1").user
        print("signed in: \(user.uid), \(user.displayName ?? "no name")")

        let token = try await user.accessToken()
        let renewed = try await user.accessToken(forcingRefresh: true)
        print("access token: \(token == renewed ? "the same" : "another") after a refresh")
        let idToken = try? await user.getIDToken()
        print("ID token: \(idToken == nil ? "none" : "one")")
        try await auth.signOut(timeout: .seconds(5))
        let count = await server.sessionCount
        print("signed out: \(count) sessions at the server")
    }

    private static func check(_ server: CompanyServer) async throws {
        // example
        let subject = ContractSubject(
            CompanyIdentity(server: server),
            offers: [.refresh, .revocation],
            wrongCredential: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "a-guess")
        ) {
            let mail = "\(UInt64.random(in: .min ... .max))@example.com"
            await server.enrol("Somebody", mail: mail, password: "secret-2")
            return EmailAuthProvider.credential(withEmail: mail, password: "secret-2")
        }
        let outcomes = try await ProviderContract(subject).check()
        // end of example
        print("contract: \(outcomes.values.filter { $0 == .passed }.count) cases hold")
    }
}
