internal import DesktopSupport
internal import Synchronization

/// An app's identity provider: created at its first use, called only for accounts that it issued, and with a time
/// limit.
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

    /// Returns the identity provider.
    ///
    /// - Throws: `operationNotAllowed` if the app has no identity provider.
    func get() throws(AuthError) -> any IdentityProvider {
        if let misconfiguration { throw misconfiguration }
        if let identityProvider { return identityProvider.value }
        throw AuthError(
            .operationNotAllowed,
            "\(appID) was configured without an identity provider. Set Options.identityProvider, e.g. to .local of "
                + "LocalIdentity."
        )
    }

    /// The issuer of the app's identity provider; nil if the app has no identity provider.
    var issuer: String? { identityProvider?.value.issuer }

    /// Returns the identity provider that issued an account.
    ///
    /// - Throws: `issuerMismatch` if the app has no identity provider of that issuer; the user stays signed in. The
    ///   errors of `get()`.
    func get(for account: Account) throws(AuthError) -> any IdentityProvider {
        let identityProvider = try get()
        if account.isIssued(by: identityProvider.issuer) { return identityProvider }
        if let other = others.issuer(of: account) { return other }
        throw AuthError(
            .issuerMismatch,
            "The account of \(account.uid) was issued by \(account.knownIssuer ?? "another issuer"), and the identity "
                + "provider of \(appID) is \(identityProvider.issuer). Use an app of that issuer, or sign in here."
        )
    }

    /// Returns whether an identity provider of the app issued this account.
    func issued(_ account: Account) -> Bool {
        identityProvider.map { account.isIssued(by: $0.value.issuer) || others.issuer(of: account) != nil } ?? false
    }

    /// Returns the identity provider that issued an account, for operations on that account.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not manage accounts; the errors of `get(for:)`.
    func accounts(for account: Account) throws(AuthError) -> any AccountProvider {
        let identityProvider = try get(for: account)
        if let accounts = identityProvider as? any AccountProvider { return accounts }
        throw .notOffered("changes of an account", by: identityProvider.issuer)
    }

    /// Returns the e-mail operations of the identity provider.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider sends no e-mails; the errors of `get()`, or of
    ///   `get(for:)` if an account is passed.
    func emailActions(for account: Account? = nil) throws(AuthError) -> any EmailActions {
        let identityProvider = if let account { try get(for: account) } else { try get() }
        if let actions = identityProvider as? any EmailActions { return actions }
        throw .notOffered("e-mails", by: identityProvider.issuer)
    }

    /// Calls the identity provider with a time limit.
    ///
    /// - Parameters:
    ///   - timeout: The time limit; nil for `Options.identityTimeout`.
    ///   - isLate: Returns the error to throw when the time limit is exceeded.
    ///   - isCancellable: Whether cancelling the caller's task cancels the call. The caller waits for the call in
    ///     either case.
    ///   - late: Handles a result that arrives after the time limit.
    ///   - ended: Runs after the call, and after `late` if that is called.
    /// - Throws: The error of `isLate`, by default `timedOut`; the errors of `call`.
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
            // The time limit starts here: the identity provider is not responsible for a delay before this task runs.
            let timer = Timer(after: timeout) { race.finish(.failure(isLate(timeout))) }
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
            "The identity provider did not answer within \(timeout.inWords).",
            remedy: "Try again, or set Options.identityTimeout."
        )
    }

    static func changeIsLate(_ timeout: Duration) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The identity provider did not answer within \(timeout.inWords), so it is unknown whether it made the change. "
                + "New tokens that arrive later are saved.",
            remedy: "Call reload() to see whether the change was made before you repeat it."
        )
    }
}

/// The identity providers of issuers other than the app's, each created at its first use.
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

/// The identity provider of an app, created at its first use.
///
/// The app's factory closure may call `Auth.auth()`. It therefore runs only after the app is registered, and without
/// holding a lock that `Auth.auth()` takes.
final class LazyIdentityProvider: Sendable {
    private let make: @Sendable () -> any IdentityProvider
    private let made = Mutex<(any IdentityProvider)?>(nil)

    init(_ make: @escaping @Sendable () -> any IdentityProvider) {
        self.make = make
    }

    /// The identity provider, the same object on each access. If several threads make the first access, one creates it
    /// and the others wait.
    var value: any IdentityProvider {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
