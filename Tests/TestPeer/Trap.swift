/// What befalls the process at one of its calls of the Secret Service.
struct Trap: Sendable {
    enum Act: String, Sendable {
        /// SIGKILL.
        case kill
        /// SIGSTOP.
        case stop
    }

    enum Call: Sendable {
        /// The so-manieth from now, from 1.
        case ordinal(Int)
        /// The next of this method.
        case member(String)

        init(_ text: String) {
            self = Int(text).map(Call.ordinal) ?? .member(text)
        }
    }

    var act: Act
    var call: Call
    /// Whether the call is carried out first.
    var isAfter: Bool
}
