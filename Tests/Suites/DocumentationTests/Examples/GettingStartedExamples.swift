import LocalIdentity
import SharedAuth

// The code of the article "Getting Started".

enum GettingStartedExamples {
    static func configure() throws {
        // example
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Mail",
                accessGroup: "group.com.example.office",
                identityProvider: .local
            )
        )
        let auth = Auth.auth()
        // end of example
        _ = auth
    }

    static func signIn(_ auth: Auth, password: String) async throws {
        // example
        if case .signedOut = await auth.ready() {
            let result = try await auth.signIn(withEmail: "ana@example.com", password: password)
            print("signed in as \(result.user.uid)")
        }
        // end of example
    }

    static func follow(_ auth: Auth) async {
        // example
        for await user in auth.authStateChanges {
            print(user?.uid ?? "signed out")
        }
        // end of example
    }

    static func state(_ auth: Auth) {
        // example
        switch auth.state {
        case .unknown: print("not known yet")
        case .signedIn(let user): print("signed in as \(user.uid)")
        case .signedOut: print("signed out")
        case .locked: print("the keyring is locked: offer auth.unlock()")
        case .unavailable(let error): print("no answer: \(error)")
        case .damaged(let error): print("the record cannot be read: \(error)")
        }
        // end of example
    }

    static func signOut(_ auth: Auth) throws {
        // example
        try auth.signOut()
        // end of example
    }

    static func accounts(_ auth: Auth, uid: String) async throws {
        // example
        for user in try await auth.storedUsers(inAccessGroup: "group.com.example.office") {
            print(user.displayName ?? user.uid)
        }
        try await auth.switchCurrentUser(toUID: uid)
        // end of example
    }
}
