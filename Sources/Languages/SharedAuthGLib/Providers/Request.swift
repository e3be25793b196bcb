public import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthRequest`: its content, and the handler of the response.
final class RequestCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())

    /// The content of a request.
    struct Content: Sendable {
        let kind: SharedAuthRequestKind
        var email: String?
        var password: String?
        var tokens: UserTokens?
        /// The scopes that an access token is requested for; empty for those of the sign-in.
        var scopes: Set<String> = []

        /// Indicates whether the response begins a session.
        var isSignIn: Bool { RequestCore.signIns.contains(kind) }
    }

    private static let signIns = [
        SHARED_AUTH_REQUEST_KIND_ANONYMOUS, SHARED_AUTH_REQUEST_KIND_PASSWORD, SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT,
    ]

    /// The kinds of requests for tokens.
    static let kindsForTokens = signIns + [SHARED_AUTH_REQUEST_KIND_REFRESH]

    /// A successful response.
    enum Response: Sendable {
        /// The tokens of a user.
        case tokens(UserTokens, uid: String)
        /// The profile of a user.
        case profile(UserProfile)
        /// The session was revoked.
        case done
    }

    private struct State {
        var content: Content?
        var cancellable: ObjectReference?
        /// The access tokens of the response.
        var accessTokens: [AccessToken] = []
        /// Handles the response; nil once the request is complete.
        var completion: (@Sendable (Result<Response, AuthError>) -> Void)?
    }

    var kind: SharedAuthRequestKind? { state.withLock { $0.content?.kind } }

    /// The access tokens of the response.
    var accessTokens: [AccessToken] { state.withLock { $0.accessTokens } }

    /// Adds an access token to the response.
    ///
    /// - Parameter scopes: The token's scopes; nil for those of the request.
    /// - Returns: False if the request is complete, or if it is not one for tokens.
    func add(_ token: String, for scopes: Set<String>?, expiringAt date: Date) -> Bool {
        state.withLock { state in
            guard state.completion != nil, let content = state.content, Self.kindsForTokens.contains(content.kind)
            else {
                return false
            }
            let scopes = scopes ?? content.scopes
            state.accessTokens.append(AccessToken(token: token, scopes: scopes, expirationDate: date))
            return true
        }
    }

    /// Completes the request.
    ///
    /// - Returns: False if the request was already complete.
    func complete(_ result: Result<Response, AuthError>) -> Bool {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            return state.completion
        }
        completion?(result)
        return completion != nil
    }

    override func finalized() {
        _ = complete(
            .failure(
                AuthError(
                    .internalError,
                    "The app's identity provider dropped a request without a response.",
                    remedy: "Complete each request with one of its return functions."
                )
            )
        )
    }

    enum Property: guint {
        case kind = 1
        case email, password, idToken, refreshToken, scopes, cancellable
    }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        let (content, cancellable) = state.withLock { ($0.content, $0.cancellable) }
        guard let content else { return }
        switch Property(rawValue: property) {
        case .kind: unsafe g_value_set_enum(value, gint(content.kind.rawValue))
        case .email: unsafe g_value_set_string(value, content.email)
        case .password: unsafe g_value_set_string(value, content.password)
        case .idToken: unsafe g_value_set_string(value, content.tokens?.idToken)
        case .refreshToken: unsafe g_value_set_string(value, content.tokens?.refreshToken)
        case .scopes: unsafe value.setTexts(content.scopes.isEmpty ? nil : content.scopes.sorted())
        case .cancellable: unsafe g_value_set_object(value, cancellable?.pointer)
        case nil: break
        }
    }

    static let type = unsafe registerClass(
        "SharedAuthRequest",
        SharedAuthRequestClass.self,
        SharedAuthRequest.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_readable()
            unsafe prepareClass(
                klass,
                [
                    g_param_spec_enum("kind", nil, nil, shared_auth_request_kind_get_type(), 0, flags),
                    shared_auth_glue_string("email", flags), shared_auth_glue_string("password", flags),
                    shared_auth_glue_string("id-token", flags), shared_auth_glue_string("refresh-token", flags),
                    shared_auth_glue_strings("scopes", flags), shared_auth_glue_cancellable("cancellable", flags),
                ]
            )
        },
        instanceFunction: { instance, _ in unsafe install(RequestCore(), in: instance) }
    )

    /// Creates a request.
    static func object(
        of content: Content,
        _ cancellable: ObjectReference,
        _ context: ContextReference,
        completion: @escaping @Sendable (Result<Response, AuthError>) -> Void
    ) -> ObjectReference {
        let object = unsafe ObjectReference(taking: g_object_new_with_properties(type, 0, nil, nil)!, context)
        let request = unsafe core(of: object.pointer, as: RequestCore.self)
        request.state.withLock { $0 = State(content: content, cancellable: cancellable, completion: completion) }
        return object
    }
}

/// Returns the GType of `SharedAuthRequest`.
@c @implementation
public func shared_auth_request_get_type() -> GType { RequestCore.type }

/// Completes a sign-in or refresh request with tokens.
@c @implementation
public func shared_auth_request_return_tokens(
    _ request: RequestPointer?,
    _ uid: CText?,
    _ id_token: CText?,
    _ refresh_token: CText?,
    _ expires_at: gint64
) {
    guard let core = unsafe requestCore(request, #function), let uid = unsafe text(uid, "uid", #function),
        let idToken = unsafe optionalText(id_token, "id_token", #function),
        let refreshToken = unsafe optionalText(refresh_token, "refresh_token", #function)
    else { return }
    let accessTokens = core.accessTokens
    let expiry = idToken == nil ? accessTokens.first?.expirationDate : nil
    var tokens = UserTokens(
        idToken: idToken,
        refreshToken: refreshToken,
        expirationDate: expiry ?? date(expires_at),
        accessTokens: accessTokens
    )
    tokens.uid = uid
    let flaw: AuthError? =
        if uid.isEmpty {
            .noUID
        } else if idToken == nil, refreshToken == nil, accessTokens.isEmpty {
            AuthError(
                .internalError,
                "The app's identity provider returned no token.",
                remedy: "Pass an ID token or a refresh token to return_tokens(), or call add_access_token() before."
            )
        } else if ([tokens.expirationDate] + accessTokens.map(\.expirationDate)).contains(where: { $0 <= Date() }) {
            AuthError(
                .internalError,
                "The app's identity provider returned tokens that have expired.",
                remedy: "Pass a time in the future, in seconds since 1970, to return_tokens() and add_access_token()."
            )
        } else {
            nil
        }
    complete(core, ofKinds: RequestCore.kindsForTokens, with: .tokens(tokens, uid: uid), unless: flaw, #function)
}

/// Adds an access token to the tokens that a sign-in or refresh request is then completed with.
@c @implementation
public func shared_auth_request_add_access_token(
    _ request: RequestPointer?,
    _ token: CText?,
    _ scopes: UnsafePointer<CText?>?,
    _ expires_at: gint64
) {
    guard let core = unsafe requestCore(request, #function), let token = unsafe text(token, "token", #function) else {
        return
    }
    if token.isEmpty { return critical(#function, "*token != '\\0'") }
    do throws(AuthError) {
        let scopes = try scopeSet(unsafe texts(scopes), named: "The list of the token's scopes")
        if core.add(token, for: scopes, expiringAt: date(expires_at)) { return }
        critical(#function, "the request is for tokens and is not complete")
    } catch {
        critical(#function, error.message)
    }
}

/// Completes a profile request.
@c @implementation
public func shared_auth_request_return_profile(
    _ request: RequestPointer?,
    _ uid: CText?,
    _ email: CText?,
    _ is_email_verified: gboolean,
    _ display_name: CText?,
    _ photo_uri: CText?
) {
    guard let core = unsafe requestCore(request, #function), let uid = unsafe text(uid, "uid", #function),
        let email = unsafe optionalText(email, "email", #function),
        let displayName = unsafe optionalText(display_name, "display_name", #function),
        let photoURI = unsafe optionalText(photo_uri, "photo_uri", #function)
    else { return }
    let profile = UserProfile(
        uid: uid,
        email: email,
        isEmailVerified: is_email_verified != 0,
        displayName: displayName,
        photoURL: photoURI.flatMap { URL(string: $0) }
    )
    let flaw = uid.isEmpty ? AuthError.noUID : nil
    complete(core, ofKinds: [SHARED_AUTH_REQUEST_KIND_PROFILE], with: .profile(profile), unless: flaw, #function)
}

/// Completes a revocation request.
@c @implementation
public func shared_auth_request_return_done(_ request: RequestPointer?) {
    guard let core = unsafe requestCore(request, #function) else { return }
    complete(core, ofKinds: [SHARED_AUTH_REQUEST_KIND_REVOKE], with: .done, unless: nil, #function)
}

/// Completes a request with an error.
@c @implementation
public func shared_auth_request_return_error(
    _ request: RequestPointer?,
    _ code: SharedAuthError,
    _ message: CText?
) {
    guard let core = unsafe requestCore(request, #function),
        let message = unsafe text(message, "message", #function)
    else { return }
    let error = AuthError(AuthErrorCode(rawValue: Int(code.rawValue)) ?? .internalError, message)
    if !core.complete(.failure(error)) { critical(#function, "the request is not complete") }
}

/// Returns the core of a request. For any other pointer, logs a critical and returns nil.
func requestCore(
    _ request: RequestPointer?,
    _ function: StaticString
) -> RequestCore? {
    guard unsafe isObject(request, RequestCore.type, "SHARED_AUTH_IS_REQUEST (request)", function) else { return nil }
    return unsafe core(of: request!)
}

/// Completes a request of one of these kinds.
///
/// The request fails with `flaw` if that is not nil. A request of another kind fails, and a critical is logged. If the
/// request is already complete, only a critical is logged.
private func complete(
    _ request: RequestCore,
    ofKinds kinds: [SharedAuthRequestKind],
    with response: RequestCore.Response,
    unless flaw: AuthError?,
    _ function: StaticString
) {
    let isExpected = request.kind.map { kind in kinds.contains(kind) } ?? false
    var result = Result<RequestCore.Response, AuthError>.success(response)
    if let error = isExpected ? flaw : .wrongResponse { result = .failure(error) }
    guard request.complete(result) else { return critical(function, "the request is not complete") }
    if !isExpected { critical(function, "the request is of a kind that this function completes") }
}

extension AuthError {
    fileprivate static let noUID = AuthError(
        .internalError,
        "The app's identity provider returned a user without a uid.",
        remedy: "Pass the user's uid."
    )

    fileprivate static let wrongResponse = AuthError(
        .internalError,
        "The app's identity provider completed a request with a response to another kind of request.",
        remedy: "Call the return function for the kind of the request."
    )
}
