import Foundation
import IdentityToolkit
import SharedAuth

/// The first screen: all sign-in methods, with the completion handlers of an iOS app.
class LoginController: UIViewController {
    var statusLabel = UILabel()
    var handle: AuthStateDidChangeListenerHandle?
    var isSigningIn = false
    var githubProvider: OAuthProvider?

    override func viewDidLoad() {
        super.viewDidLoad()
        handle = Auth.auth().addStateDidChangeListener { auth, user in
            self.title = user?.displayName ?? auth.currentUser?.uid
        }
    }

    func leave() {
        if let handle { Auth.auth().removeStateDidChangeListener(handle) }
    }

    func login(email: String, password: String) {
        isSigningIn = true
        Auth.auth().signIn(withEmail: email, password: password) { [weak self] result, error in
            guard let strongSelf = self else { return }
            strongSelf.isSigningIn = false
            guard error == nil else { return strongSelf.displayError(error) }
            strongSelf.statusLabel.text = result!.user.email
            strongSelf.showUser()
        }
    }

    func register(email: String, password: String) {
        Auth.auth().createUser(withEmail: email, password: password) { result, error in
            if let error = error { return self.displayError(error) }
            let change = result?.user.createProfileChangeRequest()
            change?.displayName = "Ada"
            change?.commitChanges { error in
                guard error == nil else { return self.displayError(error) }
                self.showUser()
            }
        }
    }

    func guest() {
        Auth.auth().signInAnonymously { result, error in
            guard error == nil else { return self.displayError(error) }
            self.statusLabel.text = result?.user.isAnonymous == true ? "Guest" : nil
        }
    }

    func custom(token: String) {
        Auth.auth().signIn(withCustomToken: token) { _, error in
            guard error == nil else { return self.displayError(error) }
            self.showUser()
        }
    }

    func google(idToken: String, accessToken: String) {
        let credential = GoogleAuthProvider.credential(withIDToken: idToken, accessToken: accessToken)
        signIn(with: credential)
    }

    func apple(idToken: String, nonce: String) {
        let credential = OAuthProvider.credential(providerID: .apple, idToken: idToken, rawNonce: nonce)
        signIn(with: credential)
    }

    func github() {
        let provider = OAuthProvider(providerID: "github.com")
        provider.scopes = ["read:user"]
        provider.customParameters = ["allow_signup": "false"]
        provider.getCredentialWith(nil) { credential, error in
            guard error == nil else { return self.displayError(error) }
            guard let credential = credential else { return }
            self.signIn(with: credential)
        }
        githubProvider = provider
    }

    func microsoft() {
        let provider = OAuthProvider(providerID: AuthProviderID.custom("microsoft.com"))
        Auth.auth().signIn(with: provider, uiDelegate: nil) { result, error in
            guard error == nil else { return self.displayError(error) }
            if let token = result?.credential?.accessToken { self.statusLabel.text = "\(token)" }
            let login = result?.additionalUserInfo?.profile?["login"] as? String
            self.title = login
        }
    }

    func sendLink(to email: String) {
        let settings = ActionCodeSettings()
        settings.url = URL(string: "https://example.com/finish")
        settings.handleCodeInApp = true
        settings.setIOSBundleID("com.example.mail")
        settings.setAndroidPackageName("com.example.mail", installIfNotAvailable: false, minimumVersion: "12")
        Auth.auth().sendSignInLink(toEmail: email, actionCodeSettings: settings) { error in
            guard error == nil else { return self.displayError(error) }
            self.present("Look into your mail.")
        }
    }

    func open(link: String, email: String) {
        guard Auth.auth().isSignIn(withEmailLink: link) else { return }
        Auth.auth().signIn(withEmail: email, link: link) { _, error in
            guard error == nil else { return self.displayError(error) }
            self.showUser()
        }
    }

    func forgot(email: String) {
        Auth.auth().sendPasswordReset(withEmail: email) { error in
            guard error == nil else { return self.displayError(error) }
            self.present("A mail is on its way.")
        }
    }

    private func signIn(with credential: AuthCredential) {
        Auth.auth().signIn(with: credential) { _, error in
            if let error = error as NSError?, error.code == AuthErrorCode.secondFactorRequired.rawValue {
                let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                self.finish(resolver)
            } else if let error = error {
                self.recover(error)
            } else {
                self.showUser()
            }
        }
    }

    private func finish(_ resolver: MultiFactorResolver) {
        let hints = resolver.hints.filter { $0.factorID == TOTPMultiFactorID }
        guard let hint = hints.first else { return }
        let since = hint.enrollmentDate.timeIntervalSinceNow
        title = "\(hint.displayName ?? hint.uid) since \(since)"
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: hint.uid,
            oneTimePassword: "123456"
        )
        resolver.resolveSignIn(with: assertion) { result, error in
            guard error == nil else { return self.displayError(error) }
            self.title = result?.user.uid
        }
    }

    private func recover(_ error: Error) {
        let error = error as NSError
        guard let code = AuthErrorCode(rawValue: error.code) else { return displayError(error) }
        switch code {
        case .wrongPassword, .invalidCredential, .userNotFound: present("Check the address and the password.")
        case .credentialAlreadyInUse:
            let updated = error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential
            if let updated { signIn(with: updated) }
        case .accountExistsWithDifferentCredential:
            present("\(error.userInfo[AuthErrorUserInfoEmailKey] as? String ?? "") has other ways to sign in.")
        default: present("\(error.domain) \(error.userInfo[AuthErrorUserInfoNameKey] ?? "")")
        }
    }

    func displayError(_ error: Error?) {
        guard let error = error else { return }
        statusLabel.text = error.localizedDescription
    }

    func showUser() { title = Auth.auth().currentUser?.uid }
}
