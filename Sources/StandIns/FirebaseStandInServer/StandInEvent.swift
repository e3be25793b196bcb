internal import SharedAuth

/// An event at a ``StandIn``. Contains no token, password, code or address.
package struct StandInEvent: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case signUp, signIn, secondFactorAsked, wrongPassword, linked, unlinked, deleted
        case refresh, refreshRefused, tokenReused
        case passwordChanged, mail, codeApplied
        case factorEnrolled, factorWithdrawn
        case disabled, enabled, revoked
        /// A requested fault occurred. The detail has the fault and the path.
        case fault
        /// A response was sent. The detail has the call and the status.
        case call
    }

    package let kind: Kind
    package var uid: String?
    package var detail: String?

    var wire: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
        members.set("uid", uid)
        members.set("detail", detail)
        return .object(members)
    }
}
