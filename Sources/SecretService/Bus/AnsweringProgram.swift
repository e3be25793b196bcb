/// Which program answers as the Secret Service: the sender of the last good answer on a connection.
struct AnsweringProgram: Sendable {
    /// Its unique name; nil if nobody has answered yet.
    var sender: String?
    /// What the bus says of the last program it was asked for.
    var known: SecretServiceProvider?

    /// What is known of the program that has the unique name `name`; nil if the bus was not asked yet.
    func provider(named name: String) -> SecretServiceProvider? {
        known.flatMap { known in known.uniqueName == name ? known : nil }
    }
}
