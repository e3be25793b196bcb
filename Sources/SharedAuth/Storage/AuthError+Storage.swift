extension AuthError {
    /// What an app hears when the store failed on a slot.
    init(_ error: RecordStoreError, in slot: Slot) {
        let (code, remedy): (AuthErrorCode, String) =
            switch error.code {
            case .locked: (.keyringLocked, "Unlock the keyring, or call auth.unlock().")
            case .unavailable: (.keyringUnavailable, "")
            case .dismissed: (.promptDismissed, "Try again, and confirm the keyring's prompt.")
            case .denied: (.accessDenied, "")
            case .damaged: (.recordDamaged, "Sign in again: the damaged record is then set aside, not lost.")
            case .newerVersion: (.recordVersionUnsupported, "Update this app.")
            case .timedOut where error.outcomeIsUnknown:
                (.outcomeUnknown, "Read again to learn whether the change was made.")
            case .timedOut: (.timedOut, "Try again; if it stays so, restart the keyring daemon.")
            case .conflict: (.conflict, "Read again and repeat.")
            case .failed where error.outcomeIsUnknown:
                (.outcomeUnknown, "Read again to learn whether the change was made.")
            case .failed: (.keychainError, "")
            }
        let sentences = ["\(slot.description.capitalizedFirst): \(error.message)", remedy].filter { !$0.isEmpty }
        self.init(code, sentences.joined(separator: " "), underlying: error)
    }

    init(damaged reason: String, in slot: Slot) {
        self.init(RecordStoreError(.damaged, "The stored record is damaged: \(reason)."), in: slot)
    }

    init(newer reason: String, in slot: Slot) {
        self.init(
            RecordStoreError(.newerVersion, "The record was stored by a newer version of SharedAuth: \(reason)."),
            in: slot
        )
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
