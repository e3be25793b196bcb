internal import FoundationEssentials
internal import SharedAuth

/// One run of a case: the provider, and ways to say what is expected of it.
struct ContractTrial: Sendable {
    let subject: ContractSubject
    let name: String

    var provider: any IdentityProvider { subject.provider }

    func failure(_ reason: String) -> ContractFailure { ContractFailure(name: name, reason: reason) }

    func expect(_ condition: Bool, _ reason: String) throws {
        if !condition { throw failure(reason) }
    }

    /// The provider as one that manages accounts.
    func accounts() throws -> any AccountProvider {
        guard let accounts = provider as? any AccountProvider else {
            throw failure("it offers changes of accounts, but is no AccountProvider")
        }
        return accounts
    }

    /// Signs in to an account of its own.
    func signIn() async throws -> (credential: AuthCredential, grant: IdentityGrant) {
        let credential = try await subject.account()
        return (credential, try await provider.signIn(with: credential, tenantID: nil))
    }

    /// The address and password of a new account, which is signed in.
    func newAccount() async throws -> (email: String, password: String, grant: IdentityGrant) {
        let (email, password) = ("\(subject.name())@example.com", subject.name())
        let grant = try await provider.createUser(withEmail: email, password: password, tenantID: nil)
        return (email, password, grant)
    }

    /// Expects a call to fail with one of these codes, and without a secret in the text.
    func expectRefusal<Value>(
        _ what: String,
        with codes: Set<AuthErrorCode>,
        hiding secrets: [String?] = [],
        _ call: () async throws(AuthError) -> Value
    ) async throws {
        do throws(AuthError) {
            _ = try await call()
        } catch {
            let expected = codes.map(\.name).sorted().joined(separator: " or ")
            guard codes.contains(error.code) else {
                throw failure("\(what) is \(error.code.name), and should be \(expected)")
            }
            let text = "\(error) \(error.message) \(String(reflecting: error))"
            for secret in secrets.compactMap(\.self) where !secret.isEmpty && text.contains(secret) {
                throw failure("the error of \(what) shows what was given: a token, a password or an address")
            }
            return
        }
        throw failure("\(what) succeeds, and should not")
    }

    /// An error without what it may quote.
    func describe(_ error: AuthError) -> String { "\(error.code.name) (\(error.code.rawValue))" }
}

extension Set<AuthErrorCode> {
    /// What ends a session.
    static let sessionEnd: Set = [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled]
    /// What a wrong credential is.
    static let wrongCredential: Set = [
        .wrongPassword, .userNotFound, .invalidCredential, .invalidCustomToken, .rejectedCredential, .userDisabled,
    ]
}

extension UserTokens {
    /// Every token, as text.
    var all: [String?] { [idToken, refreshToken] + accessTokens.map(\.token) }

    /// The token by which a back end knows the user.
    var main: String? { idToken ?? accessTokens.first?.token }
}

extension AuthCredential {
    /// The address and the password, if it has them.
    var secrets: [String?] {
        switch content {
        case .password(let email, let password): [email, password]
        case .customToken(let token): [token]
        case .oauth(let credential): [credential.idToken, credential.accessToken?.token, credential.refreshToken]
        case .emailLink(let email, let link): [email, link]
        }
    }
}
