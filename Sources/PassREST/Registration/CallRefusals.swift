internal import PassAuth

/// A server's refusal in an answer: of the access token, the client, or nothing.
enum AccessRefusal: Sendable, Hashable {
    case none, token, client
    /// The client is not registered for this programmer: another registration changes that with another statement alone.
    case programmer
}

/// Decides, without effects, how a call that was refused goes on.
///
/// Of each kind one is answered with another try: a new access token, and a new client. A second one is a failure.
struct CallRefusals {
    enum Step: Sendable, Hashable {
        case accept, newToken, newClient
        case fail(PassBackendError)
    }

    private var seen: Set<AccessRefusal> = []

    /// - Parameter isOfStatement: whether the client was made of the app's present software statement.
    mutating func next(after refusal: AccessRefusal, isOfStatement: Bool) -> Step {
        if refusal == .none { return .accept }
        let isFirst = seen.insert(refusal).inserted
        switch refusal {
        case .none: return .accept
        case .token where isFirst: return .newToken
        case .token:
            return .fail(PassBackendError(.noAccessToken, "The server refuses each access token that it gives."))
        case .client where isFirst: return .newClient
        case .client: return .fail(PassBackendError(.notRegistered, "The server refuses the app as a client."))
        case .programmer where isFirst: return .newToken
        case .programmer where !isOfStatement && seen.insert(.client).inserted: return .newClient
        case .programmer:
            return .fail(PassBackendError(.notRegistered, "The software statement is not for this programmer."))
        }
    }
}
