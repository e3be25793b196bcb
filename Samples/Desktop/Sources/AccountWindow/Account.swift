internal import Glibc
internal import LocalIdentity
internal import SharedAuth

/// The account that apps of the access group share, for one window.
///
/// Everything here is the main actor's, and each call that has to wait for the keyring is awaited, so that the main thread
/// goes on with GTK's work.
@MainActor
final class Account {
    private static let group = "group.com.example.office"
    /// How long a person may leave the keyring's dialog open. The story of this sample has less time.
    private static let patience = getenv("DESKTOP_UNLOCK_SECONDS").flatMap { Int(String(cString: $0)) } ?? 120

    /// The accounts that can be switched to, the current one first.
    private(set) var users: [User] = []
    private let auth: Auth
    /// Why the access group could not be joined; then what the app itself keeps is of no interest.
    private var refusal: AuthError?
    private var isJoined = false

    init(appID: String) throws(AuthError) {
        // example
        let options = AuthApp.Options(appID: appID, identityProvider: .local, keepsOtherUsers: true)
        auth = Auth.auth(app: try AuthApp.configure(options))
        // end of example
    }

    /// What a window has to show now.
    var page: Page {
        if let refusal { return Page(refusal) }
        return isJoined ? Page(auth.state) : .loading
    }

    /// Calls `show` now and after each change, also after those that other apps make, as long as the window is there.
    func follow(_ show: @escaping @MainActor () -> Void) {
        // example
        Task {
            await join()
            show()
            for await _ in auth.authStateChanges {
                // What could not be joined before can be now that the keyring answers.
                if !isJoined { await join() }
                await listUsers()
                show()
            }
        }
        // end of example
    }

    /// Does what a person asked for.
    func perform(_ request: Request) async throws(AuthError) {
        // example
        switch request {
        case .signIn(let email, let password): try await auth.signIn(withEmail: email, password: password)
        case .createAccount(let email, let password): try await auth.createUser(withEmail: email, password: password)
        case .signInAsGuest: try await auth.signInAnonymously()
        case .signOut: try await auth.signOut(timeout: .seconds(5))
        case .switchAccount(let uid): try await auth.switchCurrentUser(toUID: uid)
        case .unlock:
            try await auth.unlock(timeout: .seconds(Self.patience))
            await join()
        case .startOver:
            try await auth.signOut(timeout: .seconds(5))
            await join()
        case .lookAgain: await join()
        }
        // end of example
        await listUsers()
    }

    private func join() async {
        do throws(AuthError) {
            try await auth.useUserAccessGroup(Self.group, timeout: .seconds(5))
            (isJoined, refusal) = (true, nil)
        } catch {
            // Once joined, what is known of the user stays known.
            if !isJoined { refusal = error }
        }
    }

    private func listUsers() async {
        if let users = try? await auth.storedUsers(inAccessGroup: Self.group) { self.users = users }
    }
}
