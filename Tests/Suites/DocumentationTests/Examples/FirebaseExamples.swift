import SharedAuth

// The code of the article "Coming from Firebase".

enum FirebaseExamples {
    static func calls(email: String, password: String) throws {
        // example
        let handle = Auth.auth().addStateDidChangeListener { auth, user in
            print(auth.currentUser?.uid as Any, user?.uid as Any)
        }

        Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
            guard let user = authResult?.user, error == nil else { return }
            print(user.uid)
        }

        do {
            try Auth.auth().useUserAccessGroup("TEAMID.com.example.group1")
        } catch let error {
            print("Error changing user access group: \(error)")
        }

        if let user = try Auth.auth().getStoredUser(forAccessGroup: "TEAMID.com.example.group1") {
            Auth.auth().updateCurrentUser(user) { error in
                if let error { print(error) }
            }
        }
        // end of example
        Auth.auth().removeStateDidChangeListener(handle)
    }

    static func errors() {
        // example
        do {
            try Auth.auth().signOut()
        } catch {
            switch error.code {
            case .keyringLocked: print("The keyring is locked.")
            case .timedOut: print("The keyring did not answer.")
            default: print(error)
            }
        }
        // end of example
    }
}
