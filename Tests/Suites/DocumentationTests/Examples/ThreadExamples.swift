import Dispatch
import SharedAuth

// The code of the article "Threads and Main Loops".

enum ThreadExamples {
    static func asyncForms(_ auth: Auth, group: String) async throws {
        // example
        let user = try await auth.currentUser(timeout: .seconds(5))
        try await auth.useUserAccessGroup(group, timeout: .seconds(5))
        let stored = try await auth.getStoredUser(forAccessGroup: group, timeout: .seconds(5))
        try await auth.signOut(timeout: .seconds(5))
        // end of example
        _ = (user, stored)
    }

    static func executors() {
        // example
        let onQueue = ListenerExecutor.dispatchQueue(DispatchQueue(label: "com.example.Mail.auth"))
        let inGTK = ListenerExecutor.mainContext()
        // end of example
        _ = (onQueue, inGTK)
    }

    static func noActor(_ auth: Auth) {
        // example
        let listener: @Sendable (Auth, User?) -> Void = { _, user in print(user?.uid ?? "signed out") }
        let handle = auth.addStateDidChangeListener(listener)
        // end of example
        auth.removeStateDidChangeListener(handle)
    }

    static func oneShot() {
        // example
        let options = AuthApp.Options(
            appID: "com.example.Report",
            accessGroup: "group.com.example.office",
            observesOtherProcesses: false
        )
        // end of example
        _ = options
    }
}

// example
@MainActor
final class AccountModel {
    private(set) var name: String?
    private var listener: AuthStateDidChangeListenerHandle?

    func follow(_ auth: Auth) {
        listener = auth.addStateDidChangeListener { [weak self] _, user in
            self?.name = user?.displayName
        }
    }
}
// end of example
