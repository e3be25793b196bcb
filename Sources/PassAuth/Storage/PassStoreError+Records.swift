internal import SharedAuth

extension PassStoreError {
    /// What an app hears when the record store failed.
    init(_ error: RecordStoreError) {
        let (code, usual): (Code, String) =
            switch error.code {
            case _ where error.outcomeIsUnknown: (.outcomeUnknown, "Read again to learn whether the change was made.")
            case .locked: (.locked, "Unlock the keyring; nothing is lost.")
            case .unavailable: (.unavailable, "Start a keyring, such as GNOME Keyring or KWallet.")
            case .dismissed, .denied: (.denied, "Try again, and confirm the keyring's prompt.")
            case .damaged: (.damaged, "Log out and sign in again: what is damaged is then set aside, not lost.")
            case .newerVersion: (.newerSchema, "Update this app.")
            case .timedOut: (.timedOut, "Try again; if it stays so, restart the keyring daemon.")
            case .conflict: (.conflict, "Read again and repeat.")
            case .full: (.full, "Make room and try again: what was stored is as it was.")
            case .failed: (.failed, "Look into the keyring daemon's log.")
            }
        self.init(code, "\(error.message) \(error.remedy ?? usual)", underlying: error)
    }

    static func damaged(_ key: RecordKey, _ reason: String, _ remedy: String? = nil) -> PassStoreError {
        PassStoreError(RecordStoreError(.damaged, "What is stored as \(key) is damaged: \(reason).", remedy: remedy))
    }

    static func newer(_ key: RecordKey, _ reason: String) -> PassStoreError {
        PassStoreError(RecordStoreError(.newerVersion, "What is stored as \(key) is of a newer version: \(reason)."))
    }
}
