internal import SharedAuth

extension AuthError {
    /// What an app hears when the store failed on a record of the identity provider.
    init(_ error: RecordStoreError, of key: RecordKey) {
        let (code, remedy): (AuthErrorCode, String) =
            switch error.code {
            case .locked: (.keyringLocked, "Unlock the keyring, or call auth.unlock().")
            case .unavailable:
                (.keyringUnavailable, "Start a desktop session with a Secret Service, e.g. GNOME Keyring.")
            case .dismissed: (.promptDismissed, "Try again, and confirm the keyring's prompt.")
            case .denied: (.accessDenied, "Allow the app to use the keyring.")
            case .damaged: (.recordDamaged, Self.damageRemedy)
            case .newerVersion: (.recordVersionUnsupported, Self.versionRemedy)
            case .timedOut where error.outcomeIsUnknown, .failed where error.outcomeIsUnknown:
                (.outcomeUnknown, "It may have been done all the same: try again, and see.")
            case .timedOut: (.timedOut, "Try again; if it stays so, restart the keyring daemon.")
            case .conflict: (.conflict, "Try again.")
            case .failed: (.keychainError, "Try again; if it stays so, look at the keyring daemon's log.")
            }
        self.init(code, "On \(key): \(error.message) \(remedy)", underlying: error)
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
