internal import Glibc
internal import LocalIdentity
internal import SharedAuth

/// The account that apps of the access group share, for one window.
///
/// Everything here belongs to the main actor. Calls that wait for the keyring are awaited, so that the main thread
/// continues with GTK's work.
@MainActor
final class Account {
    private static let group = "group.com.example.office"
    /// The time in seconds for which the keyring's dialog may stay open; shorter in the story of this sample.
    private static let patience = getenv("DESKTOP_UNLOCK_SECONDS").flatMap { Int(String(cString: $0)) } ?? 120

    /// The accounts to switch to, the current one first.
    private(set) var users: [User] = []
    private let auth: Auth
    /// The error that prevented joining the access group; while it is set, the window does not show the app's own slot.
    private var refusal: AuthError?
    private var isJoined = false

    init(appID: String) throws(AuthError) {
        // example
        let options = AuthApp.Options(appID: appID, identityProvider: .local, keepsOtherUsers: true)
        auth = Auth.auth(app: try AuthApp.configure(options))
        // end of example
    }

    /// The page to show now.
    var page: Page {
        if let refusal { return Page(refusal) }
        return isJoined ? Page(auth.state) : .loading
    }

    /// Calls `show` now and after each change, including those by other apps, as long as the window exists.
    func follow(_ show: @escaping @MainActor () -> Void) {
        // example
        Task {
            await join()
            show()
            for await _ in auth.authStateChanges {
                // Joining may have failed before; the keyring responds now.
                if !isJoined { await join() }
                await listUsers()
                show()
            }
        }
        // end of example
    }

    /// Carries out a request of the user.
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
            // Once joined, keep the state of the user.
            if !isJoined { refusal = error }
        }
    }

    private func listUsers() async {
        if let users = try? await auth.storedUsers(inAccessGroup: Self.group) { self.users = users }
    }
}
