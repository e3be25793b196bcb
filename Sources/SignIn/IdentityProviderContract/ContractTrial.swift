internal import FoundationEssentials
internal import SharedAuth

/// One run of a case, with helpers that check expectations.
struct ContractTrial: Sendable {
    let subject: ContractSubject
    let name: String

    var provider: any IdentityProvider { subject.provider }

    func failure(_ reason: String) -> ContractFailure { ContractFailure(name: name, reason: reason) }

    func expect(_ condition: Bool, _ reason: String) throws {
        if !condition { throw failure(reason) }
    }

    /// Returns the provider as an `AccountProvider`.
    func accounts() throws -> any AccountProvider {
        guard let accounts = provider as? any AccountProvider else {
            throw failure("it supports account changes, but is not an AccountProvider")
        }
        return accounts
    }

    /// Signs in to an account of the subject that no other call uses.
    func signIn() async throws -> (credential: AuthCredential, grant: IdentityGrant) {
        let credential = try await subject.account()
        return (credential, try await provider.signIn(with: credential, tenantID: nil))
    }

    /// Creates an account, which is then signed in.
    func newAccount() async throws -> (email: String, password: String, grant: IdentityGrant) {
        let (email, password) = ("\(subject.name())@example.com", subject.name())
        let grant = try await provider.createUser(withEmail: email, password: password, tenantID: nil)
        return (email, password, grant)
    }

    /// Expects a call to fail with one of these codes, and without a secret in the error's text.
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
                throw failure("\(what) throws \(error.code.name) instead of \(expected)")
            }
            let text = "\(error) \(error.message) \(String(reflecting: error))"
            for secret in secrets.compactMap(\.self) where !secret.isEmpty && text.contains(secret) {
                throw failure("the error of \(what) contains a token, a password or an address that was passed in")
            }
            return
        }
        throw failure("\(what) succeeds, but must fail")
    }

    /// Returns an error's code, without text that may contain secrets.
    func describe(_ error: AuthError) -> String { "\(error.code.name) (\(error.code.rawValue))" }
}

extension Set<AuthErrorCode> {
    /// The errors that end a session.
    static let sessionEnd: Set = [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled]
    /// The errors of a wrong credential.
    static let wrongCredential: Set = [
        .wrongPassword, .userNotFound, .invalidCredential, .invalidCustomToken, .rejectedCredential, .userDisabled,
    ]
}

extension UserTokens {
    /// All tokens, as text.
    var all: [String?] { [idToken, refreshToken] + accessTokens.map(\.token) }

    /// The token that identifies the user to a back end.
    var main: String? { idToken ?? accessTokens.first?.token }
}

extension AuthCredential {
    /// The parts of the credential that an error must not contain.
    var secrets: [String?] {
        switch content {
        case .password(let email, let password): [email, password]
        case .customToken(let token): [token]
        case .oauth(let credential): [credential.idToken, credential.accessToken?.token, credential.refreshToken]
        case .emailLink(let email, let link): [email, link]
        }
    }
}
