import IdentityToolkit
import OpenIDConnect
import SharedAuth

// The code of IdentityToolkit's page, and of "Coming from Firebase" about Firebase's back end.

enum IdentityToolkitExamples {
    static func configure(apiKey: String, email: String, password: String) async throws {
        // example
        try AuthApp.configure(.init(appID: "com.example.Mail", project: apiKey, identityProvider: .firebase()))
        let result = try await Auth.auth().signIn(withEmail: email, password: password)
        // end of example
        print(result.user.uid)
    }

    static func secondFactor(email: String, password: String, askForCode: () async -> String) async throws {
        // example
        do {
            try await Auth.auth().signIn(withEmail: email, password: password)
        } catch {
            guard let resolver = error.details?.secondFactor,
                let factor = resolver.hints.first(where: { $0.factorID == TOTPMultiFactorGenerator.id })
            else { throw error }
            let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                withEnrollmentID: factor.uid,
                oneTimePassword: await askForCode()
            )
            try await resolver.resolveSignIn(with: assertion)
        }
        // end of example
    }

    static func anonymousUser(email: String, password: String, idToken: String, accessToken: String) async throws {
        // example
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: 9099)

        let user = try await Auth.auth().signInAnonymously().user
        let credential = EmailAuthProvider.credential(withEmail: email, password: password)
        try await user.link(with: credential)
        try await user.sendEmailVerification()

        let google = GoogleAuthProvider.credential(withIDToken: idToken, accessToken: accessToken)
        try await Auth.auth().signIn(with: google)
        // end of example
    }

    static func openID(clientID: String, clientSecret: String) async throws {
        // example
        var google = OpenIDClient(
            issuerURL: "https://accounts.google.com",
            clientID: clientID,
            clientSecret: clientSecret
        )
        google.providerID = "google.com"
        try await Auth.auth().signIn(with: OpenIDSignIn(OpenIDConnect(google)))
        // end of example
    }

    static func service(apiKey: String) async throws {
        // example
        var settings = IdentityToolkit.Settings()
        settings.browser.redirectPort = 8765
        try AuthApp.configure(
            .init(appID: "com.example.Mail", project: apiKey, identityProvider: .firebase(settings: settings))
        )

        let github = OAuthProvider(providerID: "github.com")
        github.scopes = ["user:email"]
        try await Auth.auth().signIn(with: github)
        // end of example
    }

    static func enrollment(_ user: User, show: (String) -> Void, askForCode: () async -> String) async throws {
        // example
        let session = try await user.multiFactor.session()
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
        show(secret.generateQRCodeURL(withAccountName: user.email ?? user.uid, issuer: "Mail"))
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: secret,
            oneTimePassword: await askForCode()
        )
        try await user.multiFactor.enroll(with: assertion, displayName: "Phone")
        // end of example
    }

    static func policy(password: String) async throws {
        // example
        let policy = try await Auth.auth().passwordPolicy()
        let status = policy.validate(password)
        if status.containsNumericCharacter == false { print("A digit is missing.") }
        // end of example
    }

    static func completionHandlers(_ user: User, email: String, show: @escaping @Sendable (String) -> Void) {
        // example
        Auth.auth().fetchSignInMethods(forEmail: email) { methods, error in
            print(methods ?? [])
        }

        user.multiFactor.getSessionWithCompletion { session, error in
            guard let session, error == nil else { return }
            TOTPMultiFactorGenerator.generateSecret(with: session) { secret, error in
                guard let secret, error == nil else { return }
                show(secret.generateQRCodeURL(withAccountName: email, issuer: "Mail"))
            }
        }
        // end of example
    }
}
