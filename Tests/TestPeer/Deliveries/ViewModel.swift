import Glibc
import SharedAuth

/// Literal Firebase code in a class of the main actor.
@MainActor
final class ViewModel {
    static let shared = ViewModel()

    private var uids: [String] = []
    private var handle: AuthStateDidChangeListenerHandle?

    func follow(_ auth: Auth) {
        handle = auth.addStateDidChangeListener { [weak self] auth, user in
            MainActor.preconditionIsolated()
            self?.uids.append(user?.uid ?? "nil")
            self?.finish()
        }
    }

    private func finish() {
        if uids.last != "9" { return }
        print(uids.joined(separator: " "))
        exit(0)
    }
}
