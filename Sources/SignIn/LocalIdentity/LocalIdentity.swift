public import FoundationEssentials
public import SharedAuth

/// An identity provider inside the app. It needs no network and no server, and signs its own tokens.
///
/// It supports anonymous users and users with an e-mail address and a password. ID tokens are JSON Web Tokens signed
/// with ES256, with the claims of Firebase's ID tokens; the issuer is `sharedauth-local:` and the project. Every
/// sign-in begins a separate session. An account has up to 64 sessions, or fewer if their record has no more room; then
/// the least recently used one ends.
///
/// An anonymous user who adds an e-mail address and a password (`User.link(with:)`) keeps the uid. Changing the
/// password or the address ends the account's other sessions, as in Firebase; it needs no recent sign-in.
///
/// Exchanging a refresh token returns a new one. Until the new one has been used, the old one still works and returns
/// the same new one again, so neither a crash before it was saved nor concurrent exchanges sign a user out.
///
/// Accounts are stored in the app's `RecordStore` and shared by every app of the project. A keyring writes its whole
/// file on each change, and thousands of items make it slow. Accounts are therefore stored neither in one item each nor
/// all in one item, but in at most 16 records, each below 60,000 bytes. A record keeps its 64 most recently used
/// anonymous accounts, about 1,000 in all: an anonymous account whose tokens are gone can never be reached again, so
/// the least recently used ones are dropped. Accounts with a password are never dropped, nor is the last session of
/// one; if a record is full of them, at about 100, adding another throws `quotaExceeded`. One more record holds the
/// keys.
///
/// This is an identity provider for apps without a server, for samples and for tests: every app that can open the
/// keyring can sign tokens in its name, so a back end must not trust them.
///
/// Methods may be called from any task. In addition to the codes that each method lists, they throw the errors of the
/// store: `keyringLocked`, `keyringUnavailable`, `accessDenied`, `promptDismissed`, `timedOut`, `outcomeUnknown`,
/// `conflict`, `keychainError`, and `recordDamaged` or `recordVersionUnsupported` for a record that cannot be read.
/// Such a record is left unchanged. An empty record, which a keyring leaves if it crashes while creating the item,
/// holds no data, so the next sign-in or new account replaces it.
public final class LocalIdentity: AccountProvider {
    /// Settings for tokens and passwords.
    public struct Settings: Sendable, Hashable {
        /// The lifetime of an ID token: in whole seconds, at least one. The default is an hour, as in Firebase.
        public var tokenLifetime: Duration
        /// The cost of checking a password: the base-2 logarithm of scrypt's N, from 4 to 18. The default, 17, takes
        /// 128 MiB and a noticeable fraction of a second, several times that in a debug build; tests may use less. It
        /// applies to new passwords. A weaker hash of an existing password is replaced when its user signs in.
        public var passwordCost: Int

        /// Creates settings.
        public init(tokenLifetime: Duration = .seconds(3600), passwordCost: Int = 17) {
            self.tokenLifetime = tokenLifetime
            self.passwordCost = passwordCost
        }

        /// The lifetime in seconds, for tokens.
        var tokenSeconds: Int { Int(clamping: min(max(1, tokenLifetime.components.seconds), 1 << 40)) }
    }

    let records: IdentityRecords
    let project: String
    let settings: Settings
    let now: @Sendable () -> Date
    let random: @Sendable (_ count: Int) -> [UInt8]

    /// Creates an identity provider on a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - store: The store for accounts and keys.
    ///   - project: The project, a plain name. Providers with the same store and project share their accounts.
    ///   - timeout: The time limit of each call to the store.
    ///   - settings: Settings for tokens and passwords.
    ///   - now: The clock.
    public convenience init(
        store: any RecordStore,
        project: String = "default",
        timeout: Duration = .seconds(5),
        settings: Settings = Settings(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            records: IdentityRecords(store: store, project: project, timeout: timeout),
            settings: settings,
            now: now,
            random: { randomBytes($0) }
        )
    }

    init(
        records: IdentityRecords,
        settings: Settings,
        now: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        self.records = records
        project = records.project
        self.settings = settings
        self.now = now
        self.random = random
    }
}

extension LocalIdentity: Redacted {
    /// The type's name and the project.
    public var description: String { "LocalIdentity(\(project))" }
    /// Shows the project only.
    public var customMirror: Mirror { Mirror(self, children: ["project": project]) }
}

extension IdentityProviderFactory {
    /// The embedded identity provider, on the app's own store.
    public static var local: IdentityProviderFactory { .local(LocalIdentity.Settings()) }

    /// Returns the embedded identity provider with settings, on the app's own store.
    public static func local(_ settings: LocalIdentity.Settings) -> IdentityProviderFactory {
        IdentityProviderFactory { context in
            LocalIdentity(
                store: context.store,
                project: context.project,
                timeout: context.timeout,
                settings: settings,
                now: context.now
            )
        }
    }
}
