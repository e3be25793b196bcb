public import CSharedAuthGLib
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthCustomProvider`: an identity provider that the app implements with signal handlers.
final class CustomProviderCore: ProviderCore, @unchecked Sendable {
    private let issuer = Mutex(Account.ownIssuer)

    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        let identity = CustomIdentity(issuer: issuer.withLock { $0 }, object, audience)
        return IdentityProviderFactory { _ in identity }
    }

    fileprivate enum Property: guint { case issuer = 1 }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        unsafe g_value_set_string(value, issuer.withLock { $0 })
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        let text = unsafe value.text
        if let text, !text.isEmpty { issuer.withLock { $0 = text } }
    }

    static let customType = unsafe registerClass(
        "SharedAuthCustomProvider",
        parent: type,
        SharedAuthCustomProviderClass.self,
        SharedAuthCustomProvider.self,
        classFunction: { klass, _ in
            unsafe prepareClass(klass, [shared_auth_glue_string("issuer", shared_auth_glue_construct_only())])
            let type = unsafe klass!.assumingMemoryBound(to: GTypeClass.self).pointee.g_type
            for name in CustomIdentity.signals {
                unsafe shared_auth_glue_signal(g_intern_string(name), type, RequestCore.type)
            }
        },
        instanceFunction: { instance, _ in unsafe install(CustomProviderCore(), in: instance) }
    )
}

/// Sends requests by emitting the signals of a `SharedAuthCustomProvider` in the main context of a session.
private final class CustomIdentity: IdentityProvider {
    static let signals = ["sign-in", "refresh", "profile", "revoke"]

    let issuer: String
    private let object: ObjectReference
    private let audience: RequestAudience

    init(issuer: String, _ object: ObjectReference, _ audience: RequestAudience) {
        (self.issuer, self.object, self.audience) = (issuer, object, audience)
    }

    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        try await signIn(RequestCore.Content(kind: SHARED_AUTH_REQUEST_KIND_ANONYMOUS))
    }

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard case .password(let email, let password) = credential.content else {
            throw .notOffered("a sign-in of the kind \(credential.provider)", by: issuer)
        }
        let kind = SHARED_AUTH_REQUEST_KIND_PASSWORD
        return try await signIn(RequestCore.Content(kind: kind, email: email, password: password))
    }

    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        let kind = SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT
        return try await signIn(RequestCore.Content(kind: kind, email: email, password: password))
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let content = RequestCore.Content(kind: SHARED_AUTH_REQUEST_KIND_REFRESH, tokens: tokens, scopes: scopes)
        guard let response = try await send("refresh", content), case .tokens(let tokens, _) = response else {
            throw .notOffered("a refresh", by: issuer)
        }
        return tokens
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let content = RequestCore.Content(kind: SHARED_AUTH_REQUEST_KIND_PROFILE, tokens: tokens)
        guard let response = try await send("profile", content), case .profile(let profile) = response else {
            throw .notOffered("the profile of a user", by: issuer)
        }
        return profile
    }

    func revoke(_ tokens: UserTokens) async throws(AuthError) {
        _ = try await send("revoke", RequestCore.Content(kind: SHARED_AUTH_REQUEST_KIND_REVOKE, tokens: tokens))
    }

    private func signIn(_ content: RequestCore.Content) async throws(AuthError) -> IdentityGrant {
        guard let response = try await send("sign-in", content), case .tokens(let tokens, let uid) = response else {
            throw .notOffered("a sign-in", by: issuer)
        }
        do throws(AuthError) {
            let isAnonymous = content.kind == SHARED_AUTH_REQUEST_KIND_ANONYMOUS
            let profile = try await profile(of: uid, with: tokens, isAnonymous: isAnonymous)
            let isNew = content.kind != SHARED_AUTH_REQUEST_KIND_PASSWORD
            return IdentityGrant(profile: profile, tokens: tokens, isNewUser: isNew)
        } catch {
            // Nobody keeps the tokens. The task may be cancelled.
            if let auth = audience.auth { await Task { await end(tokens, of: uid, in: auth) }.value }
            throw error
        }
    }

    /// Ends the session of tokens that nobody keeps, unless it is a stored one.
    private func end(_ tokens: UserTokens, of uid: String, in auth: Auth) async {
        await auth.discard(
            IdentityGrant(profile: UserProfile(uid: uid), tokens: tokens, isNewUser: false),
            of: self
        )
    }

    /// Returns the profile of a user who signs in, which the app may leave out.
    private func profile(
        of uid: String,
        with tokens: UserTokens,
        isAnonymous: Bool
    ) async throws(AuthError) -> UserProfile {
        let content = RequestCore.Content(kind: SHARED_AUTH_REQUEST_KIND_PROFILE, tokens: tokens)
        guard case .profile(var profile)? = try await send("profile", content) else {
            return UserProfile(uid: uid, isAnonymous: isAnonymous)
        }
        guard profile.uid == uid else {
            throw AuthError(
                .internalError,
                "The identity provider \(issuer) returned the profile of another user.",
                remedy: "Pass the uid of the tokens to return_profile()."
            )
        }
        profile.isAnonymous = isAnonymous
        return profile
    }

    /// Emits a signal and waits for the response. Ends the session of a sign-in's response that arrives after the task
    /// was cancelled.
    ///
    /// - Returns: The response; nil if the signal has no handler.
    /// - Throws: The error that the handler returned; `internalError` if the request was dropped, or if the task is
    ///   cancelled.
    private func send(
        _ signal: String,
        _ content: RequestCore.Content
    ) async throws(AuthError) -> RequestCore.Response? {
        let race = Race<Result<RequestCore.Response?, AuthError>>()
        let cancellation = RequestCancellation()
        let emission = audience.invoke { [self] context in
            let number = unsafe g_signal_lookup(signal, CustomProviderCore.customType)
            guard unsafe g_signal_has_handler_pending(object.pointer, number, 0, 0) != 0 else {
                race.finish(.success(nil))
                return
            }
            guard let cancellable = cancellation.begin(in: context) else { return }
            // The response to a sign-in may come after the sessions have ended.
            let auth = content.isSignIn ? audience.auth : nil
            let request = RequestCore.object(of: content, cancellable, context) { [self] result in
                guard !race.finish(result.map { $0 }), let auth, case .success(.tokens(let tokens, let uid)) = result
                else { return }
                Task { await end(tokens, of: uid, in: auth) }
            }
            log("emitting the identity provider's signal \(signal)")
            unsafe shared_auth_glue_emit(object.pointer, number, request.pointer)
        }
        defer { audience.forget(emission) }
        return try await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            cancellation.cancel()
            race.finish(
                .failure(
                    AuthError(
                        .internalError,
                        "The call was cancelled before the identity provider \(issuer) responded."
                    )
                )
            )
        }.get()
    }
}

/// The `GCancellable` of a request, which exists from its emission on. A request that is cancelled before is not emitted.
private final class RequestCancellation: Sendable {
    private let state = Mutex(State.waiting)

    private enum State {
        case waiting
        case emitted(ObjectReference, ContextReference)
        case cancelled
    }

    /// Creates the `GCancellable` of a request that is emitted in a context; returns nil if it was cancelled before.
    func begin(in context: ContextReference) -> ObjectReference? {
        let new = unsafe ObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()!), context)
        return state.withLock { state in
            if case .cancelled = state { return nil }
            state = .emitted(new, context)
            return new
        }
    }

    /// Cancels the `GCancellable`, in its context.
    func cancel() {
        let former = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        guard case .emitted(let cancellable, let context) = former else { return }
        context.invoke {
            unsafe g_cancellable_cancel(cancellable.pointer.assumingMemoryBound(to: GCancellable.self))
        }
    }
}

/// Returns the GType of `SharedAuthCustomProvider`.
@c @implementation
public func shared_auth_custom_provider_get_type() -> GType { CustomProviderCore.customType }

/// Creates an identity provider for the app's own server.
@c @implementation
public func shared_auth_custom_provider_new(_ issuer: CText?) -> CustomProviderPointer? {
    guard let issuer = unsafe text(issuer, "issuer", #function) else { return nil }
    return unsafe makeObject(CustomProviderCore.customType, texts: [("issuer", issuer)])?
        .assumingMemoryBound(to: SharedAuthCustomProvider.self)
}

/// Returns a copy of the issuer of the accounts.
@c @implementation
public func shared_auth_custom_provider_dup_issuer(_ provider: CustomProviderPointer?) -> OwnedText? {
    unsafe customCore(provider, #function)?.text(of: CustomProviderCore.Property.issuer)
}

/// Returns the core of an identity provider. For any other pointer, logs a critical and returns nil.
private func customCore(_ provider: CustomProviderPointer?, _ function: StaticString) -> CustomProviderCore? {
    let rule = "SHARED_AUTH_IS_CUSTOM_PROVIDER (provider)"
    guard unsafe isObject(provider, CustomProviderCore.customType, rule, function) else { return nil }
    return unsafe core(of: provider!)
}
