public import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// What is behind a `SharedAuth.Request`: a question, and who waits for the answer.
final class RequestCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())

    /// What is asked.
    struct Question: Sendable {
        let kind: SharedAuthRequestKind
        var email: String?
        var password: String?
        var tokens: UserTokens?
    }

    /// What is answered.
    enum Answer: Sendable {
        /// The tokens of a user.
        case tokens(UserTokens, uid: String)
        /// Who a user is.
        case profile(UserProfile)
        /// That it was done.
        case done
    }

    private struct State {
        var question: Question?
        var cancellable: ObjectReference?
        var answered: (@Sendable (Result<Answer, AuthError>) -> Void)?
    }

    var kind: SharedAuthRequestKind? { state.withLock { $0.question?.kind } }

    /// Takes the answer, the first one alone.
    ///
    /// - Returns: whether it was the first.
    func answer(_ result: Result<Answer, AuthError>) -> Bool {
        let answered = state.withLock { state in
            defer { state.answered = nil }
            return state.answered
        }
        answered?(result)
        return answered != nil
    }

    override func isFinalized() {
        _ = answer(.failure(AuthError(.internalError, "A request to the app's identity provider was never answered.")))
    }

    override func get(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        let (question, cancellable) = state.withLock { ($0.question, $0.cancellable) }
        guard let question else { return }
        switch property {
        case 1: unsafe g_value_set_enum(value, gint(question.kind.rawValue))
        case 2: unsafe g_value_set_string(value, question.email)
        case 3: unsafe g_value_set_string(value, question.password)
        case 4: unsafe g_value_set_string(value, question.tokens?.idToken)
        case 5: unsafe g_value_set_string(value, question.tokens?.refreshToken)
        default: unsafe g_value_set_object(value, cancellable?.pointer)
        }
    }

    static let type = unsafe registerClass(
        "SharedAuthRequest",
        SharedAuthRequestClass.self,
        SharedAuthRequest.self,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_readable()
            unsafe prepareClass(
                klass,
                [
                    g_param_spec_enum("kind", nil, nil, shared_auth_request_kind_get_type(), 0, flags),
                    shared_auth_glue_string("email", flags), shared_auth_glue_string("password", flags),
                    shared_auth_glue_string("id-token", flags), shared_auth_glue_string("refresh-token", flags),
                    shared_auth_glue_cancellable("cancellable", flags),
                ]
            )
        },
        instanceFunction: { instance, _ in unsafe install(RequestCore(), in: instance) }
    )

    /// Makes the object of a question.
    static func object(
        of question: Question,
        _ cancellable: ObjectReference,
        _ context: ContextReference,
        answered: @escaping @Sendable (Result<Answer, AuthError>) -> Void
    ) -> ObjectReference {
        let object = unsafe ObjectReference(taking: g_object_new_with_properties(type, 0, nil, nil)!, context)
        let request = unsafe core(of: object.pointer, as: RequestCore.self)
        request.state.withLock { $0 = State(question: question, cancellable: cancellable, answered: answered) }
        return object
    }
}

/// Returns the type of requests.
@c @implementation
public func shared_auth_request_get_type() -> GType { RequestCore.type }

/// Answers a request with tokens.
@c @implementation
public func shared_auth_request_return_tokens(
    _ request: UnsafeMutablePointer<SharedAuthRequest>?,
    _ uid: UnsafePointer<CChar>?,
    _ id_token: UnsafePointer<CChar>?,
    _ refresh_token: UnsafePointer<CChar>?,
    _ expires_at: gint64
) {
    guard let core = unsafe requestCore(request, #function), let uid = unsafe text(uid, "uid", #function),
        let idToken = unsafe optionalText(id_token, "id_token", #function),
        let refreshToken = unsafe optionalText(refresh_token, "refresh_token", #function)
    else { return }
    let kinds = [
        SHARED_AUTH_REQUEST_KIND_ANONYMOUS, SHARED_AUTH_REQUEST_KIND_PASSWORD, SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT,
        SHARED_AUTH_REQUEST_KIND_REFRESH,
    ]
    var tokens = UserTokens(idToken: idToken, refreshToken: refreshToken, expirationDate: date(expires_at))
    tokens.uid = uid
    let nonsense: String? =
        if uid.isEmpty {
            "a user without a uid"
        } else if idToken == nil, refreshToken == nil {
            "no token"
        } else if tokens.expirationDate <= Date() {
            "tokens that have expired"
        } else {
            nil
        }
    answer(core, to: kinds, .tokens(tokens, uid: uid), unless: nonsense, #function)
}

/// Answers a request with a profile.
@c @implementation
public func shared_auth_request_return_profile(
    _ request: UnsafeMutablePointer<SharedAuthRequest>?,
    _ uid: UnsafePointer<CChar>?,
    _ email: UnsafePointer<CChar>?,
    _ is_email_verified: gboolean,
    _ display_name: UnsafePointer<CChar>?,
    _ photo_uri: UnsafePointer<CChar>?
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
    let nonsense = uid.isEmpty ? "a user without a uid" : nil
    answer(core, to: [SHARED_AUTH_REQUEST_KIND_PROFILE], .profile(profile), unless: nonsense, #function)
}

/// Answers a request that it was done.
@c @implementation
public func shared_auth_request_return_done(_ request: UnsafeMutablePointer<SharedAuthRequest>?) {
    guard let core = unsafe requestCore(request, #function) else { return }
    answer(core, to: [SHARED_AUTH_REQUEST_KIND_REVOKE], .done, unless: nil, #function)
}

/// Answers a request with a failure.
@c @implementation
public func shared_auth_request_return_error(
    _ request: UnsafeMutablePointer<SharedAuthRequest>?,
    _ code: SharedAuthError,
    _ message: UnsafePointer<CChar>?
) {
    guard let core = unsafe requestCore(request, #function),
        let message = unsafe text(message, "message", #function)
    else { return }
    let error = AuthError(AuthErrorCode(rawValue: Int(code.rawValue)) ?? .internalError, message)
    if !core.answer(.failure(error)) { critical(#function, "the request has no answer yet") }
}

/// The core of a request; nil, and a critical, for anything else.
private func requestCore(
    _ request: UnsafeMutablePointer<SharedAuthRequest>?,
    _ function: StaticString
) -> RequestCore? {
    guard unsafe isObject(request, RequestCore.type, "SHARED_AUTH_IS_REQUEST (request)", function) else { return nil }
    return unsafe core(of: request!)
}

/// Answers a request of one of these kinds; a request of another kind, or an answer that makes no sense, ends as an internal error.
private func answer(
    _ request: RequestCore,
    to kinds: [SharedAuthRequestKind],
    _ answer: RequestCore.Answer,
    unless nonsense: String?,
    _ function: StaticString
) {
    let isMeant = request.kind.map { kind in kinds.contains(kind) } ?? false
    var result = Result<RequestCore.Answer, AuthError>.success(answer)
    if let nonsense = isMeant ? nonsense : "what it was not asked for" {
        result = .failure(AuthError(.internalError, "The app's identity provider answered with \(nonsense)."))
    }
    guard request.answer(result) else { return critical(function, "the request has no answer yet") }
    if !isMeant { critical(function, "the request asks for this") }
}
