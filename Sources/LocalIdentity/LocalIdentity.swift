public import FoundationEssentials
public import SharedAuth

/// An identity provider inside the app: it needs no network and no server, and signs its own tokens.
///
/// It knows anonymous users and users of an e-mail address and a password. ID tokens are JSON Web Tokens signed with
/// ES256, with the claims Firebase's have; the issuer is `sharedauth-local:` and the project. Every sign-in begins a
/// session of its own, and sessions of one account live side by side: up to 64, and fewer where their record has no
/// room for more; then the one unused the longest ends.
///
/// An anonymous user who is given an e-mail address and a password (`User.link(with:)`) keeps the uid. A change of the password or the
/// address ends the account's other sessions, as in Firebase; it needs no recent sign-in.
///
/// Exchanging a refresh token gives a new one. Until the new one has been used, the old one still works, and gives that
/// same new one again; so neither a crash before it was saved nor several exchanges at once sign a user out.
///
/// Accounts live in the app's `RecordStore`, shared by every app of the project. A keyring writes its whole file on
/// each change, and thousands of items make it slow. So there is neither one item per account nor one item for all, but at most 16
/// records, each below 60,000 bytes. A record keeps its 64 anonymous accounts used last, about 1,000 in all: an anonymous account
/// whose tokens are gone can never be reached again, and those unused the longest make room. Accounts with a password are never
/// dropped, nor is the last session of one; when a record is full of them, about 75, the answer to one more is `quotaExceeded`. One
/// more record holds the keys.
///
/// This is an identity provider for apps without a server, for samples and for tests: every app that can open the
/// keyring can sign tokens in its name, so a back end has no reason to trust them further than that.
///
/// Methods may be called from any task. Besides the codes that each names, they throw what the store reports:
/// `keyringLocked`, `keyringUnavailable`, `accessDenied`, `promptDismissed`, `timedOut`, `outcomeUnknown`, `conflict`,
/// `keychainError`, and `recordDamaged` or `recordVersionUnsupported` for a record that cannot be read, which is then
/// left as it is. One that is empty, as a keyring leaves it that died while it made the item, is replaced by the next
/// sign-in or new account, as nothing is lost with it.
public final class LocalIdentity: AccountProvider {
    /// How tokens and passwords are made.
    public struct Settings: Sendable, Hashable {
        /// How long an ID token is good: an hour, as Firebase's. In whole seconds, at least one.
        public var tokenLifetime: Duration
        /// How much it costs to check a password: the base-2 logarithm of scrypt's N, from 4 to 18. The default, 17,
        /// takes 128 MiB and a noticeable fraction of a second, several times that in a debug build; tests may go
        /// lower. It applies to new passwords, and to a weaker hash of an older one as soon as its user signs in.
        public var passwordCost: Int

        /// Makes settings.
        public init(tokenLifetime: Duration = .seconds(3600), passwordCost: Int = 17) {
            self.tokenLifetime = tokenLifetime
            self.passwordCost = passwordCost
        }

        /// The lifetime as tokens express it.
        var tokenSeconds: Int { Int(clamping: min(max(1, tokenLifetime.components.seconds), 1 << 40)) }
    }

    let records: IdentityRecords
    let project: String
    let settings: Settings
    let now: @Sendable () -> Date
    let random: @Sendable (_ count: Int) -> [UInt8]

    /// Makes an identity provider on a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - store: where accounts and keys are kept.
    ///   - project: the project, a plain name; those of one store and one project share their accounts.
    ///   - timeout: how long each call of the store may take.
    ///   - settings: how tokens and passwords are made.
    ///   - now: the clock.
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

extension LocalIdentity: CustomStringConvertible, CustomReflectable {
    /// The project.
    public var description: String { "LocalIdentity(\(project))" }
    /// The project alone.
    public var customMirror: Mirror { Mirror(self, children: ["project": project]) }
}

extension IdentityProviderFactory {
    /// The embedded identity provider, on the app's own store.
    public static var local: IdentityProviderFactory { .local(LocalIdentity.Settings()) }

    /// The embedded identity provider with settings, on the app's own store.
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
