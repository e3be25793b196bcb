internal import SharedAuth
internal import Synchronization
internal import ToolConventions

/// Prints what listeners hear; called on one queue.
final class AnnouncementPrinter: Sendable {
    private let asJSON: Bool
    private let hasPresentToken = Mutex(false)

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    func authState(_ user: User?) {
        print(Announcement(.authState, user))
    }

    /// The first token is the present state, which the first line has said already.
    func idToken(_ user: User?) {
        let isNews = hasPresentToken.withLock { hasPresentToken in
            defer { hasPresentToken = true }
            return hasPresentToken
        }
        if isNews { print(Announcement(.idToken, user)) }
    }

    private func print(_ announcement: Announcement) {
        do {
            try announcement.print(asJSON: asJSON)
        } catch let error as OutputError {
            ProcessEnd.now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
        } catch {
            StandardError.write(line: "An announcement cannot be printed: \(error)")
        }
    }
}
