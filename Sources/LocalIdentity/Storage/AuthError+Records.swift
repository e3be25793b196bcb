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
        self.init(error.authErrorCode, "On \(key): \(error.message)", remedy: error.remedy ?? usual, underlying: error)
    }

    static func damaged(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(
            .recordDamaged,
            "The keyring holds something damaged in place of \(key): \(reason).",
            remedy: damageRemedy(key)
        )
    }

    /// A record in whose place there is something empty.
    static func empty(_ key: RecordKey) -> AuthError {
        AuthError(
            .recordDamaged,
            "The keyring holds something empty in place of \(key).",
            remedy: "Restore it from a backup, or sign in or create an account: that replaces it."
        )
    }

    static func newer(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(
            .recordVersionUnsupported,
            "A newer version of SharedAuth wrote \(key): \(reason).",
            remedy: versionRemedy
        )
    }

    private static func damageRemedy(_ key: RecordKey) -> String {
        "It was left as it is: restore it from a backup, or run 'sharedauth set-aside \(key.kind) --project \(key.project)' to "
            + "go on without it."
    }

    private static var versionRemedy: String { "It was left as it is: update this app." }
}
