/// A place for auth state: an app's own slot, or the slot that the apps of an access group share.
enum Slot: Sendable, Hashable, Codable {
    case own
    case group(String)

    init(_ group: AccessGroup?) {
        self = if let group { .group(group.name) } else { .own }
    }

    /// The slot's name in error messages.
    var description: String {
        switch self {
        case .own: "the app's own slot"
        case .group(let name): "access group \(name)"
        }
    }

    /// The name of the group; nil for the app's own slot.
    var groupName: String? {
        if case .group(let name) = self { name } else { nil }
    }
}

extension Slot {
    /// Decodes a slot. Throws if no group can have its name.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if fields.contains(.own) {
            self = .own
            return
        }
        let group = try fields.nestedContainer(keyedBy: GroupCodingKeys.self, forKey: .group)
        self = .group(try AccessGroup(group.decode(String.self, forKey: ._0)).name)
    }
}

extension AuthError {
    /// Creates the error for a failure of the store.
    package init(_ error: RecordStoreError) {
        self.init(
            error.authErrorCode,
            error.message,
            remedy: error.remedy ?? error.usualRemedy,
            underlying: error
        )
    }

    /// Creates the error for a failure of the store on a slot.
    init(_ error: RecordStoreError, in slot: Slot) {
        self.init(
            error.authErrorCode,
            "\(slot.description.capitalizedFirst): \(error.message)",
            remedy: error.remedy ?? error.usualRemedy,
            underlying: error
        )
    }

    /// Creates the error for a slot's record that cannot be read.
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

extension AuthError {
    /// Creates the error for a change of a slot that shows a view of a fleet's record.
    static func keptOnFleet(_ slot: Slot) -> AuthError { keptOnFleet(slot.description.capitalizedFirst) }

    /// Creates the error for the use of a user that was read from a view of a fleet's record.
    static func keptOnFleet(_ account: Account) -> AuthError { keptOnFleet("The user \(account.uid)") }

    private static func keptOnFleet(_ subject: String) -> AuthError {
        AuthError(
            .keptOnFleet,
            "\(subject) is kept on a fleet: this app can show who is signed in, but cannot change it or get tokens.",
            remedy: "Use an app whose Options.store is .fleet (SharedAuthFleet), or run sharedauth fleet leave to take "
                + "this device out of the fleet."
        )
    }
}

extension RecordStoreError {
    /// The remedy for a failure of this kind; nil if the message of the underlying error already names it.
    package var usualRemedy: String? {
        switch authErrorCode {
        case .keyringLocked: "Unlock the keyring, or call auth.unlock()."
        case .recordDamaged: "Sign in again: the damaged record is then set aside, not lost."
        case .recordVersionUnsupported: "Update this app."
        case .outcomeUnknown: "Read again to see whether the change was made."
        case .timedOut: "Try again; if the problem persists, restart the keyring daemon."
        case .conflict: "Read again and repeat."
        case .storeFull: "Free some space and try again; the stored data is unchanged."
        case _ where underlying != nil: nil
        case .keyringUnavailable: "Start a desktop session with a Secret Service, e.g. GNOME Keyring."
        case .promptDismissed: "Try again, and confirm the keyring's prompt."
        case .accessDenied: "Allow the app to use the keyring."
        default: "Try again; if the problem persists, check the log of the keyring daemon."
        }
    }

    /// The code of the ``AuthError`` for this failure.
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
        default: lacksFileLocks ? .fileLocksUnavailable : .keychainError
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
