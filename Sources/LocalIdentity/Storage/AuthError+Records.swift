internal import SharedAuth

extension AuthError {
    /// What an app hears when the store failed on a record of the identity provider.
    init(_ error: RecordStoreError, of key: RecordKey) {
        let usual =
            switch error.authErrorCode {
            case .keyringLocked: "Unlock the keyring, or call auth.unlock()."
            case .keyringUnavailable: "Start a desktop session with a Secret Service, e.g. GNOME Keyring."
            case .promptDismissed: "Try again, and confirm the keyring's prompt."
            case .accessDenied: "Allow the app to use the keyring."
            case .recordDamaged: Self.damageRemedy
            case .recordVersionUnsupported: Self.versionRemedy
            case .outcomeUnknown: "It may have been done all the same: try again, and see."
            case .timedOut: "Try again; if it stays so, restart the keyring daemon."
            default: "Try again; if it stays so, look at the keyring daemon's log."
            }
        self.init(error.authErrorCode, "On \(key): \(error.message) \(error.remedy ?? usual)", underlying: error)
    }

    static func damaged(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(.recordDamaged, "The keyring holds something damaged in place of \(key): \(reason). \(damageRemedy)")
    }

    static func newer(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(
            .recordVersionUnsupported,
            "A newer version of SharedAuth wrote \(key): \(reason). \(versionRemedy)"
        )
    }

    private static var damageRemedy: String {
        "It was left as it is: restore it from a backup, or delete it in your keyring application to start anew."
    }

    private static var versionRemedy: String { "It was left as it is: update this app." }
}
