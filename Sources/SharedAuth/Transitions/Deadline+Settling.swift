internal import SecretService

extension Deadline {
    /// The moment by which a change has to be answered, so that of one that is not there is time left to find out.
    var leavingTimeToSettle: Deadline { .after(remaining * 4 / 5) }
}
