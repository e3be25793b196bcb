internal import FoundationEssentials

extension User {
    /// The present ID token, if `getIDToken()` would hand it out as it is: it lasts five minutes more. Waits for nothing.
    package var validIDToken: String? {
        guard let auth else { return nil }
        let tokens = snapshot.tokens
        return tokens.expirationDate.timeIntervalSince(auth.options.now()) > 5 * 60 ? tokens.idToken : nil
    }
}
