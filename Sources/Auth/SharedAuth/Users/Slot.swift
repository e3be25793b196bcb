/// Where auth state is kept: an app's own place, or the place that the apps of an access group share.
enum Slot: Sendable, Hashable, Codable {
    case own
    case group(String)

    init(_ group: AccessGroup?) {
        self = if let group { .group(group.name) } else { .own }
    }

    /// The slot in words, for error messages.
    var description: String {
        switch self {
        case .own: "the app's own slot"
        case .group(let name): "access group \(name)"
        }
    }

    /// The name of the group; nil for the own slot.
    var groupName: String? {
        if case .group(let name) = self { name } else { nil }
    }
}

extension AuthError {
    /// The error for a store that failed.
    package init(_ error: RecordStoreError) {
        self.init(
            error.authErrorCode,
            error.message,
            remedy: error.remedy ?? error.usualRemedy,
            underlying: error
        )
    }

    /// The error for a store that failed on a slot.
    init(_ error: RecordStoreError, in slot: Slot) {
        self.init(
            error.authErrorCode,
            "\(slot.description.capitalizedFirst): \(error.message)",
            remedy: error.remedy ?? error.usualRemedy,
            underlying: error
        )
    }

    /// The error for the record of a slot that cannot be read.
    init(_ flaw: RecordFlaw, in slot: Slot) {
        let error =
            switch flaw {
            case .empty, .damaged: RecordStoreError(.damaged, "The stored record is damaged: \(flaw.reason).")
            case .newer(let reason):
                RecordStoreError(.newerVersion, "The record was stored by a newer version of SharedAuth: \(reason).")
            }
        self.init(error, in: slot)
    }
}

extension RecordStoreError {
    /// What to do about a failure of this kind; nil where the error below has said so in the message.
    package var usualRemedy: String? {
        switch authErrorCode {
        case .keyringLocked: "Unlock the keyring, or call auth.unlock()."
        case .recordDamaged: "Sign in again: the damaged record is then set aside, not lost."
        case .recordVersionUnsupported: "Update this app."
        case .outcomeUnknown: "Read again to learn whether the change was made."
        case .timedOut: "Try again; if the problem persists, restart the keyring daemon."
        case .conflict: "Read again and repeat."
        case .storeFull: "Make room and try again: what was stored is as it was."
        case _ where underlying != nil: nil
        case .keyringUnavailable: "Start a desktop session with a Secret Service, e.g. GNOME Keyring."
        case .promptDismissed: "Try again, and confirm the keyring's prompt."
        case .accessDenied: "Allow the app to use the keyring."
        default: "Try again; if the problem persists, look at the log of the keyring daemon."
        }
    }

    /// The code that an app sees for this failure.
    package var authErrorCode: AuthErrorCode {
        if outcomeIsUnknown { return .outcomeUnknown }
        return switch code {
        case .locked: .keyringLocked
        case .unavailable: .keyringUnavailable
        case .dismissed: .promptDismissed
        case .denied: .accessDenied
        case .damaged: .recordDamaged
        case .newerVersion: .recordVersionUnsupported
        case .conflict: .conflict
        case .timedOut: .timedOut
        case .full: .storeFull
        case .failed: lacksFileLocks ? .fileLocksUnavailable : .keychainError
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
