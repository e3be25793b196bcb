internal import GLibSupport

// The vocabulary of the places that throw.
extension SecretServiceError {
    static func timedOut(doing what: String, outcomeIsUnknown: Bool = false) -> SecretServiceError {
        SecretServiceError(
            code: .timedOut,
            message: "The deadline passed while \(what). Try again, or allow more time.",
            outcomeIsUnknown: outcomeIsUnknown
        )
    }

    /// The deadline was over before the request was sent.
    static func neverSent(_ request: BusRequest, by deadline: Deadline) -> SecretServiceError {
        guard !deadline.isCancelled else { return .calledOff(request.member, request.path) }
        return SecretServiceError(
            code: .timedOut,
            message: "\(request.member) on \(request.path): the deadline had passed before it was sent. "
                + "Try again, or allow more time."
        )
    }

    /// The deadline passed while the request was on its way.
    static func neverAnswered(_ request: BusRequest) -> SecretServiceError {
        SecretServiceError(
            code: .timedOut,
            message: "\(request.member) on \(request.path): \(explanation(of: .timedOut))",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The caller runs in a watch's handler.
    static let calledFromHandler = SecretServiceError(
        code: .invalidArgument,
        message: "The Secret Service was called from within a watch's handler, which must not block. "
            + "Call from another thread."
    )

    static func unexpectedAnswer(
        to request: BusRequest,
        _ what: String,
        insteadOf wanted: String? = nil
    ) -> SecretServiceError {
        SecretServiceError(
            code: .protocolViolation,
            message:
                "\(request.member) on \(request.path): the answer is of the type \(what), not \(wanted ?? request.answer). "
                + "The provider does not keep to the Secret Service specification.",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The program itself called the request off before it was carried out.
    static func calledOff(_ member: String, _ path: String) -> SecretServiceError {
        SecretServiceError(
            code: .dismissed,
            message: "\(member) on \(path): this program called it off before it was carried out."
        )
    }

    /// What a code means and what to do about it, as the end of a message.
    static func explanation(of code: Code) -> String {
        switch code {
        case .noSessionBus: "no message bus answers there. Run inside a desktop session, or under dbus-run-session."
        case .busClosed: "the message bus closed the connection. Try again: the next call connects anew."
        case .noProvider:
            "no provider of the Secret Service runs or could be started. Install or start one, such as GNOME Keyring."
        case .noDefaultCollection: "there is no default collection. Create a keyring in the keyring application."
        case .noSuchCollection: "there is no such collection. Ask for the default collection anew."
        case .noSuchItem: "there is no such item; it may have been deleted. Search again."
        case .locked: "it is locked. Unlock the keyring and try again."
        case .dismissed: "the prompt was dismissed. Try again and answer it."
        case .timedOut: "no answer came in time. Try again, or restart the provider if it hangs."
        case .denied: "access is denied. Allow this program to reach the Secret Service on the bus."
        case .invalidArgument: "an argument is not acceptable to the other side. Correct it."
        default: "the other side reported an error that the specification does not foresee. Look at its log."
        }
    }
}
