import Dispatch
import FoundationEssentials
import SharedAuth
import TestSupport
import Testing

/// Ten snippets of Firebase's guides, unchanged except for what they print, in a synchronous function, an async
/// function and on the main actor. Compiling is half of the test: no `await` where Firebase has none.
struct FirebaseSnippetTests {
    @Test("Firebase's snippets compile and run in synchronous, async and main-actor code")
    func snippets() async {
        await #expect(processExitsWith: .success) {
            let identity = ScriptedIdentity()
            for uid in ["a", "b", "c", "d", "e", "f"] { identity.expect(.scripted(uid)) }
            try AuthApp.configure(
                AuthApp.Options(
                    appID: "com.example.Snippets",
                    identityProvider: identity.source,
                    store: .inMemory(),
                    listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
                    stateDirectory: TestDirectory.newPath()
                )
            )
            // The users exist before each round, because nothing waits for the snippets' completion handlers.
            try await Auth.auth().signInAnonymously()
            await Task.detached { synchronousSnippets() }.value
            #expect(Auth.auth().userAccessGroup == nil)
            try await asyncSnippets()
            #expect(Auth.auth().userAccessGroup == nil)
            await MainScreen().snippets()
            #expect(Auth.auth().userAccessGroup == nil)
        }
    }
}

private let email = "a@example.com"
private let password = "password"
private let accessGroup = "TEAMID.com.example.group1"

private func synchronousSnippets() {
    // 1. Listen for authentication state.
    let handle = Auth.auth().addStateDidChangeListener { auth, user in
        print(auth.currentUser?.uid as Any, user?.uid as Any)
    }
    Auth.auth().removeStateDidChangeListener(handle)

    // 2. Sign up new users.
    Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
        if let error { print(error) }
        print(authResult?.user.uid as Any)
    }

    // 3. Sign in existing users.
    Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
        guard let user = authResult?.user, error == nil else { return }
        print(user.uid)
    }

    // 4. Get information about the user.
    let user = Auth.auth().currentUser
    if let user = user {
        let uid = user.uid
        let email = user.email
        let photoURL = user.photoURL
        print(uid, email as Any, photoURL as Any)
    }

    // 5. Use a shared access group.
    do {
        try Auth.auth().useUserAccessGroup(accessGroup)
        let group = Auth.auth().userAccessGroup
        print(group as Any, Auth.auth().tenantID ?? "no tenant")
    } catch {
        print("Error changing user access group: \(error)")
    }

    // 6. Get the user stored in an access group.
    var tempUser: User?
    do {
        try tempUser = Auth.auth().getStoredUser(forAccessGroup: accessGroup)
    } catch let error {
        print("Error getting stored user: \(error)")
    }

    // 7. Migrate a signed-in user.
    if let user = tempUser ?? user {
        Auth.auth().updateCurrentUser(user) { error in
            if let error { print(error) }
        }
    }

    // 8. Send an ID token to a server.
    Auth.auth().currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
        if let error = error { return print(error) }
        print(idToken as Any)
    }

    // 9. Update a user's profile.
    let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
    changeRequest?.displayName = "Ada"
    changeRequest?.commitChanges { error in
        if let error { print(error) }
    }

    // 10. Leave the access group, and sign out.
    do {
        try Auth.auth().useUserAccessGroup(nil)
        try Auth.auth().signOut()
    } catch let signOutError {
        print("Error signing out: \(signOutError)")
    }
}

private func asyncSnippets() async throws {
    // 1. Listen for authentication state.
    let handle = Auth.auth().addStateDidChangeListener { auth, user in
        print(auth.currentUser?.uid as Any, user?.uid as Any)
    }
    Auth.auth().removeStateDidChangeListener(handle)

    // 2. Sign up new users.
    Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
        if let error { print(error) }
        print(authResult?.user.uid as Any)
    }

    // 3. Sign in existing users.
    Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
        guard let user = authResult?.user, error == nil else { return }
        print(user.uid)
    }

    // 4. Get information about the user.
    let user = Auth.auth().currentUser
    if let user = user {
        let uid = user.uid
        let email = user.email
        let photoURL = user.photoURL
        print(uid, email as Any, photoURL as Any)
    }

    // 5. Use a shared access group.
    do {
        try Auth.auth().useUserAccessGroup(accessGroup)
        let group = Auth.auth().userAccessGroup
        print(group as Any, Auth.auth().tenantID ?? "no tenant")
    } catch {
        print("Error changing user access group: \(error)")
    }

    // 6. Get the user stored in an access group.
    var tempUser: User?
    do {
        try tempUser = Auth.auth().getStoredUser(forAccessGroup: accessGroup)
    } catch let error {
        print("Error getting stored user: \(error)")
    }

    // 7. Migrate a signed-in user.
    if let user = tempUser ?? user {
        Auth.auth().updateCurrentUser(user) { error in
            if let error { print(error) }
        }
    }

    // 8. Send an ID token to a server.
    Auth.auth().currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
        if let error = error { return print(error) }
        print(idToken as Any)
    }

    // 9. Update a user's profile.
    let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
    changeRequest?.displayName = "Ada"
    changeRequest?.commitChanges { error in
        if let error { print(error) }
    }

    // 10. Leave the access group, and sign out.
    do {
        try Auth.auth().useUserAccessGroup(nil)
        try Auth.auth().signOut()
    } catch let signOutError {
        print("Error signing out: \(signOutError)")
    }
}

@MainActor
private final class MainScreen {
    private var handle: AuthStateDidChangeListenerHandle?
    private var title: String?

    func snippets() {
        // 1. Listen for authentication state.
        handle = Auth.auth().addStateDidChangeListener { auth, user in
            self.title = user?.uid ?? auth.currentUser?.uid
        }
        if let handle { Auth.auth().removeStateDidChangeListener(handle) }

        // 2. Sign up new users.
        Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
            if let error { print(error) }
            print(authResult?.user.uid as Any)
        }

        // 3. Sign in existing users.
        Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
            guard let user = authResult?.user, error == nil else { return }
            print(user.uid)
        }

        // 4. Get information about the user.
        let user = Auth.auth().currentUser
        if let user = user {
            let uid = user.uid
            let email = user.email
            let photoURL = user.photoURL
            print(uid, email as Any, photoURL as Any)
        }

        // 5. Use a shared access group.
        do {
            try Auth.auth().useUserAccessGroup(accessGroup)
            let group = Auth.auth().userAccessGroup
            print(group as Any, Auth.auth().tenantID ?? "no tenant")
        } catch {
            print("Error changing user access group: \(error)")
        }

        // 6. Get the user stored in an access group.
        var tempUser: User?
        do {
            try tempUser = Auth.auth().getStoredUser(forAccessGroup: accessGroup)
        } catch let error {
            print("Error getting stored user: \(error)")
        }

        // 7. Migrate a signed-in user.
        if let user = tempUser ?? user {
            Auth.auth().updateCurrentUser(user) { error in
                if let error { print(error) }
            }
        }

        // 8. Send an ID token to a server.
        Auth.auth().currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
            if let error = error { return print(error) }
            print(idToken as Any)
        }

        // 9. Update a user's profile.
        let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
        changeRequest?.displayName = "Ada"
        changeRequest?.commitChanges { error in
            if let error { print(error) }
        }

        // 10. Leave the access group, and sign out.
        do {
            try Auth.auth().useUserAccessGroup(nil)
            try Auth.auth().signOut()
        } catch let signOutError {
            print("Error signing out: \(signOutError)")
        }
    }
}
