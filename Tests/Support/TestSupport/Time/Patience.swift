package import SecretService

extension Deadline {
    /// A deadline longer than any machine needs, for a call that is not expected to wait.
    package static var patient: Deadline { .after(.seconds(120)) }
}

extension Duration {
    /// A time that only a hanging call takes, however busy the machine: 20 s, which is less than GLib's own limit of
    /// 25 s. The time limit of such a call is longer, like that of `Deadline.patient`, or passes much earlier.
    package static var hang: Duration { .seconds(20) }
}
