/// A session with one run of a provider, told from others by identity: a restarted provider gives out the same paths again.
final class Session: Sendable {
    let path: String

    init(path: String) {
        self.path = path
    }
}
