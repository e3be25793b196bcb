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

    init(appID: String) throws(AuthError) {
        // example
        let options = AuthApp.Options(
            appID: appID,
            accessGroup: Self.group,
            identityProvider: .local,
            keepsOtherUsers: true
        )
        auth = Auth.auth(app: try AuthApp.configure(options))
        // end of example
    }

    /// The page to show now.
    var page: Page { Page(auth.state) }

    /// Indicates whether the keyring is locked, although a page shows what was read before.
    var isLockedMeanwhile: Bool {
        if case .locked = page { false } else { auth.saveFailure?.code == .keyringLocked }
    }

    /// Calls `show` now and after each change, including those by other apps, as long as the window exists.
    func follow(_ show: @escaping @MainActor () -> Void) {
        // example
        Task {
            _ = await auth.ready()
            show()
            for await _ in auth.authStateChanges {
                await listUsers()
                show()
            }
        }
        // end of example
    }

    /// Calls `show` now and whenever something else keeps changes from being saved, or nothing does.
    func followSaving(_ show: @escaping @MainActor () -> Void) {
        // example
        Task {
            for await _ in auth.saveFailureChanges { show() }
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
        case .signOut, .startOver: try await auth.signOut(timeout: .seconds(5))
        case .switchAccount(let uid): try await auth.switchCurrentUser(toUID: uid)
        case .unlock, .lookAgain: try await auth.unlock(timeout: .seconds(Self.patience))
        }
        // end of example
        await listUsers()
    }

    private func listUsers() async {
        if let users = try? await auth.storedUsers(inAccessGroup: Self.group) { self.users = users }
    }
}
