/// Hears of each method call when its answer is there, for people who ask what takes so long. It sees neither arguments
/// nor answers, which may hold secrets. Calls that nobody waits for are left out.
package struct CallTrace: Sendable {
    /// A call that has been answered, or has not been in time.
    package struct Answered: Sendable {
        /// The method, such as `CreateItem`, with the name of the property if it reads one.
        package let method: String
        /// The object it went to, or the name that it asked the message bus about.
        package let subject: String
        /// How long the answer was under way.
        package let time: Duration
        /// Why it failed; nil if it did not.
        package let failure: SecretServiceError.Code?
    }

    let body: @Sendable (Answered) -> Void

    /// Calls `body` on the thread that waited.
    package init(_ body: @escaping @Sendable (Answered) -> Void) {
        self.body = body
    }
}

/// The moment at which a request left, as the gate counts and measures.
struct Departure: Sendable {
    /// How many waits had ended.
    let endedWaits: Int
    /// When it was; nil if nobody measures.
    let instant: ContinuousClock.Instant?
}

extension BusRequest {
    /// What a trace calls the method.
    var tracedMethod: String { property.map { "\(member) \($0)" } ?? member }

    /// What a trace says that the request is about: names of the message bus are no secrets.
    var tracedSubject: String {
        guard subject == .bus, let name = arguments?.children.first, name.type == "s" else { return path }
        // A connection's own name tells a reader nothing.
        return name.string.hasPrefix(":") ? path : name.string
    }
}
