package import SecretService

extension Deadline {
    /// Longer than any machine takes: for a call that is not expected to wait.
    package static var patient: Deadline { .after(.seconds(120)) }
}
