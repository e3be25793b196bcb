package import IdentityProviderContract
package import SharedAuth

extension ContractSubject {
    /// Returns a client of Firebase, real or simulated, which offers everything except revocation and scopes.
    package static func firebase(_ client: any IdentityProvider) -> ContractSubject {
        ContractSubject(
            client,
            offers: [
                .anonymousUsers, .newAccounts, .refresh, .profileChange, .emailChange, .passwordChange, .linking,
                .unlinking, .reauthentication, .deletion,
            ],
            wrongCredential: EmailAuthProvider.credential(withEmail: "nobody@example.com", password: "a wrong password")
        ) {
            let (email, password) = ("person-\(UInt64.random(in: .min ... .max))@example.com", "a good password")
            _ = try await client.createUser(withEmail: email, password: password, tenantID: nil)
            return EmailAuthProvider.credential(withEmail: email, password: password)
        }
    }
}
