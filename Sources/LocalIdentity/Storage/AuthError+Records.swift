internal import SharedAuth

extension AuthError {
    /// What an app hears when the store failed on a record of the identity provider.
    init(_ error: RecordStoreError, of key: RecordKey) {
        let usual: String? =
            switch error.authErrorCode {
            case .recordDamaged: Self.damageRemedy(key)
            case .recordVersionUnsupported: Self.versionRemedy
            default: error.usualRemedy
            }
        self.init(error.authErrorCode, "On \(key): \(error.message)", error.remedy ?? usual, error)
    }

    static func damaged(_ reason: String, _ key: RecordKey) -> AuthError {
        let message = "The keyring holds something damaged in place of \(key): \(reason)."
        return AuthError(.recordDamaged, message, damageRemedy(key), RecordStoreError(.damaged, message))
    }

    /// A record in whose place there is something empty.
    static func empty(_ key: RecordKey) -> AuthError {
        let message = "The keyring holds something empty in place of \(key)."
        let remedy = "Restore it from a backup, or sign in or create an account: that replaces it."
        return AuthError(.recordDamaged, message, remedy, RecordStoreError(.damaged, message))
    }

    static func newer(_ reason: String, _ key: RecordKey) -> AuthError {
        let message = "A newer version of SharedAuth wrote \(key): \(reason)."
        return AuthError(.recordVersionUnsupported, message, versionRemedy, RecordStoreError(.newerVersion, message))
    }

    /// The error below carries what to do, too, so that a tool can print it on a line of its own.
    private init(_ code: AuthErrorCode, _ message: String, _ remedy: String?, _ error: RecordStoreError) {
        self.init(
            code,
            remedy.map { "\(message) \($0)" } ?? message,
            underlying: RecordStoreError(
                error.code,
                error.message,
                remedy: remedy,
                outcomeIsUnknown: error.outcomeIsUnknown,
                underlying: error.underlying
            )
        )
    }

    private static func damageRemedy(_ key: RecordKey) -> String {
        "It was left as it is: restore it from a backup, or run 'sharedauth set-aside \(key.kind) --project \(key.project)' to "
            + "go on without it."
    }

    private static var versionRemedy: String { "It was left as it is: update this app." }
}
