/// When a token of an earlier layout is taken over on configuration; in each case only for a programmer that has no valid token,
/// and has not chosen another provider or none.
public enum ImportCondition: Sendable, Hashable, CaseIterable {
    /// Once for each app and programmer, and never after a log-out by anybody in the newer layout: who has logged out stays
    /// logged out, whatever an older app left behind.
    case once
    /// Whenever the programmer has no valid token, as Adobe's text has it, be it after a log-out by somebody else or a second
    /// sign-in to an app of the earlier layout. Still no token is taken over twice, so that a log-out also ends a session that
    /// began with an import.
    case noValidToken
}
