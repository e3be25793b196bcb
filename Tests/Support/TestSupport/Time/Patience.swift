package import SecretService

extension Deadline {
    /// A deadline longer than any machine needs, for a call that is not expected to wait.
    package static var patient: Deadline { .after(.seconds(120)) }
}
