internal import PassAuth

/// The part of a call that a server's response refuses: the access token, the client, or nothing.
enum AccessRefusal: Sendable, Hashable {
    case none, token, client
    /// The client is not registered for this programmer. A new registration helps only with another software statement.
    case programmer
}

/// Decides, without side effects, what to do after the server has refused a call.
///
/// The first refusal of each kind leads to another attempt, with a new access token or a new client. The second refusal
/// of the same kind fails the call. If the client is not registered for the programmer, a new token is tried first,
/// then, for a client of another software statement, a new client.
struct CallRefusals {
    enum Step: Sendable, Hashable {
        case accept, newToken, newClient
        case fail(PassBackendError)
    }

    private var seen: Set<AccessRefusal> = []

    /// Returns the next step after a response.
    ///
    /// - Parameter isOfStatement: True if the client was registered with the app's current software statement.
    mutating func next(after refusal: AccessRefusal, isOfStatement: Bool) -> Step {
        if refusal == .none { return .accept }
        let isFirst = seen.insert(refusal).inserted
        switch refusal {
        case .none: return .accept
        case .token where isFirst: return .newToken
        case .token:
            return .fail(PassBackendError(.noAccessToken, "The server refuses every access token that it issues."))
        case .client where isFirst: return .newClient
        case .client: return .fail(PassBackendError(.notRegistered, "The server refuses the app as a client."))
        case .programmer where isFirst: return .newToken
        case .programmer where !isOfStatement && seen.insert(.client).inserted: return .newClient
        case .programmer:
            return .fail(PassBackendError(.notRegistered, "The software statement is not for this programmer."))
        }
    }
}
