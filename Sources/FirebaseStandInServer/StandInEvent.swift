internal import SharedAuth

/// What happened at a ``StandIn``. No token, password, code or address is in it.
package struct StandInEvent: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case signUp, signIn, secondFactorAsked, wrongPassword, linked, unlinked, deleted
        case refresh, refreshRefused, tokenReused
        case passwordChanged, mail, codeApplied
        case factorEnrolled, factorWithdrawn
        case disabled, enabled, revoked
        /// A fault that was asked for; the detail says which.
        case fault
        /// A call was answered; the detail has the call and the status.
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
