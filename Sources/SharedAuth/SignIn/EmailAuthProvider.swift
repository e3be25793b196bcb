/// Makes credentials of an e-mail address and a password (Firebase: `EmailAuthProvider`).
public enum EmailAuthProvider {
    /// The provider's id.
    public static let id = "password"

    /// Makes a credential.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, content: .password(email: email, password: password))
    }
}
