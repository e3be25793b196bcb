package import SecretService

extension Deadline {
    /// A deadline longer than any machine needs, for a call that is not expected to wait.
    package static var patient: Deadline { .after(.patience) }
}

extension Duration {
    /// The time of `Deadline.patient`: 120 s.
    package static var patience: Duration { .seconds(120) }

    /// A time that only a hanging call takes, however busy the machine: 20 s, which is less than GLib's own limit of
    /// 25 s. The time limit of such a call is longer, such as `patience`, or passes much earlier.
    package static var hang: Duration { .seconds(20) }
}
