/// Receives each method call when its reply arrives, to show which calls take long. Calls without a waiting caller are
/// omitted. The trace sees neither arguments nor replies, which may contain secrets.
package struct CallTrace: Sendable {
    /// A call with a reply, or one whose deadline passed.
    package struct Answered: Sendable {
        /// The method, such as `CreateItem`, followed by the name of the property if it reads one.
        package let method: String
        /// The path of the called object, or the bus name that a call of the message bus is about.
        package let subject: String
        /// The time from the request to the reply.
        package let time: Duration
        /// The cause of the failure; nil if the call succeeded.
        package let failure: SecretServiceError.Code?
    }

    let body: @Sendable (Answered) -> Void

    /// Creates a trace that calls `body` on the thread that waited.
    package init(_ body: @escaping @Sendable (Answered) -> Void) {
        self.body = body
    }
}

/// The moment a request was sent, for the gate's counters and measurements.
struct Departure: Sendable {
    /// The number of waits that had ended.
    let endedWaits: Int
    /// The time; nil without a trace.
    let instant: ContinuousClock.Instant?
}

extension BusRequest {
    /// The method's name in a trace.
    var tracedMethod: String { property.map { "\(member) \($0)" } ?? member }

    /// The request's subject in a trace. Names on the message bus are not secret.
    var tracedSubject: String {
        guard subject == .bus, let name = arguments?.children.first, name.type == "s" else { return path }
        // A connection's unique name is of no use to a reader.
        return name.string.hasPrefix(":") ? path : name.string
    }
}
