internal import DesktopSupport
internal import Synchronization

/// An app's identity provider: made at its first use, asked only about accounts that it issued, and given a time to answer.
final class IdentityAccess: Sendable {
    private let identityProvider: LazyIdentityProvider?
    private let others: OtherIdentityProviders
    private let appID: String
    private let timeout: Duration
    private let misconfiguration: AuthError?

    init(
        _ options: AuthApp.Options,
        store: any RecordStore,
        appID: String,
        _ misconfiguration: AuthError?
    ) {
        identityProvider = options.identityProvider.map { factory in
            let context = IdentityProviderFactory.Context(
                store: store,
                project: options.project,
                timeout: options.timeout,
                now: options.now
            )
            return LazyIdentityProvider { factory.make(context) }
        }
        others = OtherIdentityProviders(options.identityProvider?.makeOther)
        self.appID = appID
        timeout = options.identityTimeout
        self.misconfiguration = misconfiguration
    }

    /// The identity provider.
    ///
    /// - Throws: `operationNotAllowed` if the app has none.
    func get() throws(AuthError) -> any IdentityProvider {
        if let misconfiguration { throw misconfiguration }
        if let identityProvider { return identityProvider.value }
        throw AuthError(
            .operationNotAllowed,
            "\(appID) was configured without an identity provider. Set Options.identityProvider, e.g. to .local of "
                + "LocalIdentity."
        )
    }

    /// Whose accounts the app's identity provider issues; nil if the app has none.
    var issuer: String? { identityProvider?.value.issuer }

    /// The identity provider, if it is the one that issued this account.
    ///
    /// - Throws: `issuerMismatch` if it is another's; the user stays signed in.
    func get(for account: Account) throws(AuthError) -> any IdentityProvider {
        let identityProvider = try get()
        if account.isIssued(by: identityProvider.issuer) { return identityProvider }
        if let other = others.issuer(of: account) { return other }
        throw AuthError(
            .issuerMismatch,
            "The account of \(account.uid) was issued by \(account.knownIssuer ?? "another issuer"), and the identity provider "
                + "of \(appID) is \(identityProvider.issuer). Use an app of that issuer, or sign in here."
        )
    }

    /// Whether the app's identity provider is the one that issued this account.
    func issued(_ account: Account) -> Bool {
        identityProvider.map { account.isIssued(by: $0.value.issuer) || others.issuer(of: account) != nil } ?? false
    }

    /// The identity provider that issued this account, if it manages accounts.
    ///
    /// - Throws: as `get(for:)`; `operationNotAllowed` if it does not manage accounts.
    func accounts(for account: Account) throws(AuthError) -> any AccountProvider {
        let identityProvider = try get(for: account)
        if let accounts = identityProvider as? any AccountProvider { return accounts }
        throw .notOffered("changes of an account", by: identityProvider.issuer)
    }

    /// What the identity provider does by e-mail.
    ///
    /// - Throws: as `get()`, or for an account as `get(for:)`; `operationNotAllowed` if it sends no e-mails.
    func emailActions(for account: Account? = nil) throws(AuthError) -> any EmailActions {
        let identityProvider = if let account { try get(for: account) } else { try get() }
        if let actions = identityProvider as? any EmailActions { return actions }
        throw .notOffered("e-mails", by: identityProvider.issuer)
    }

    /// Calls the identity provider, which has a time of its own to answer.
    ///
    /// - Parameters:
    ///   - timeout: how long it has; nil: `Options.identityTimeout`.
    ///   - isLate: what to throw then.
    ///   - isCancellable: whether the call is cancelled with the caller's task; if not, it is waited for all the same.
    ///   - late: what to do with a result that comes when the caller has gone on.
    ///   - ended: runs once the call has ended, and what is done with a late result.
    /// - Throws: `timedOut` after that, unless `isLate` says otherwise, and what the call throws.
    func ask<Value: Sendable>(
        timeout: Duration? = nil,
        isLate: @escaping @Sendable (Duration) -> AuthError = AuthError.identityProviderIsLate,
        isCancellable: Bool = true,
        _ call: @escaping @Sendable () async throws(AuthError) -> Value,
        late: (@Sendable (Value) async -> Void)? = nil,
        ended: (@Sendable () -> Void)? = nil
    ) async throws(AuthError) -> Value {
        let race = Race<Result<Value, AuthError>>()
        let timeout = timeout ?? self.timeout
        let task = Task {
            // The time counts from here: what kept this task from running is not the identity provider's doing.
            let timer = RaceTimer(after: timeout) { race.finish(.failure(isLate(timeout))) }
            defer { timer.cancel() }
            let result: Result<Value, AuthError>
            do throws(AuthError) {
                result = .success(try await call())
            } catch {
                result = .failure(error)
            }
            if !race.finish(result), case .success(let value) = result { await late?(value) }
            ended?()
        }
        return try await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            if isCancellable { task.cancel() }
        }.get()
    }
}

extension AuthError {
    static func identityProviderIsLate(_ timeout: Duration) -> AuthError {
        AuthError(
            .timedOut,
            "The identity provider did not answer within \(timeout).",
            remedy: "Try again, or set Options.identityTimeout."
        )
    }

    static func changeIsLate(_ timeout: Duration) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The identity provider did not answer within \(timeout), so it is unknown whether it made the change. New tokens that come "
                + "later are saved.",
            remedy: "Call reload() and look, before you do it again."
        )
    }
}

/// The identity providers of accounts of other issuers than the app's own, each made at its first use.
private final class OtherIdentityProviders: Sendable {
    private let make: @Sendable (_ issuer: String) -> (any IdentityProvider)?
    private let made = Mutex<[String: any IdentityProvider]>([:])

    init(_ make: (@Sendable (_ issuer: String) -> (any IdentityProvider)?)?) {
        self.make = make ?? { _ in nil }
    }

    func issuer(of account: Account) -> (any IdentityProvider)? {
        guard let issuer = account.knownIssuer else { return nil }
        return made.withLock { made in
            if let known = made[issuer] { return known }
            made[issuer] = make(issuer)
            return made[issuer]
        }
    }
}

/// The identity provider of an app, made at its first use.
///
/// The app's closure that makes it may call `Auth.auth()`, so it runs when the app is registered, under no lock that
/// such a call takes.
final class LazyIdentityProvider: Sendable {
    private let make: @Sendable () -> any IdentityProvider
    private let made = Mutex<(any IdentityProvider)?>(nil)

    init(_ make: @escaping @Sendable () -> any IdentityProvider) {
        self.make = make
    }

    /// The identity provider; the same one each time. Of several first callers, one makes it and the others wait.
    var value: any IdentityProvider {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
