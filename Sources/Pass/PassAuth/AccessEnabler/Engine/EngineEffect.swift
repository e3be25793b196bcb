/// An effect that an engine requests.
enum EngineEffect: Sendable {
    /// Call the back end.
    case ask(Ticket, BackEndQuestion, PassRequest)
    /// Perform a step in the store.
    case store(Ticket, StoreStep)
    /// Wait.
    case wait(Ticket, Duration)
    /// Stop the work for this ticket.
    case cancel(Ticket)
    /// Send an event to the app.
    case tell(EntitlementEvent)
    /// End a call.
    case end(CallID, CallOutcome)
    /// Start a call that waited.
    case resume(CallID, EntitlementCall)
    /// Watch the store for this programmer's session.
    case watch(RequestorConfiguration)
}

/// The outcome of a call, for its caller.
enum CallOutcome: Sendable {
    case done
    case failed(EntitlementError)
    case status(AuthenticationStatus)
    case token(String)
    case resources([String])
    case preauthorization(PreauthorizeResponse)
    case provider(MVPD?)
    case metadata(MetadataAnswer)
}
