/// An effect that an engine asks for.
enum EngineEffect: Sendable {
    /// Ask the back end.
    case ask(Ticket, BackEndQuestion, PassRequest)
    /// Let the store do something.
    case store(Ticket, StoreStep)
    /// Wait.
    case wait(Ticket, Duration)
    /// Go on without this answer.
    case cancel(Ticket)
    /// Say something to the app.
    case tell(EntitlementEvent)
    /// A call has ended.
    case end(CallID, CallOutcome)
    /// Begin a call that waited.
    case resume(CallID, EntitlementCall)
    /// Watch the store for this programmer's session.
    case watch(RequestorConfiguration)
}

/// The end of a call, for the one that awaits it.
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
