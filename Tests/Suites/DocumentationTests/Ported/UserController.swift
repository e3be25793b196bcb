import Foundation
import IdentityToolkit
import SharedAuth

/// The screen of the signed-in user, with the operations on the account.
class UserController: UIViewController {
    private var _user: User? = Auth.auth().currentUser
    private var isAdmin = false
    private var rows: [String] = []

    func refresh() {
        _user?.reload { error in
            guard error == nil else { return self.report(error) }
            self.rows = self._user?.providerData.map { $0.providerID } ?? []
        }
        _user?.getIDTokenResult(forcingRefresh: true) { result, error in
            guard let result = result else { return self.report(error) }
            self.isAdmin = result.claims["admin"] as? Bool ?? false
            let firebase = result.claims["firebase"] as? [String: Any]
            self.title = firebase?["sign_in_provider"] as? String
        }
        _user?.getIDTokenForcingRefresh(true) { token, error in
            if let error = error { self.report(error) }
            self.rows.append(token ?? "no token")
        }
    }

    func link(email: String, password: String) {
        let credential = EmailAuthProvider.credential(withEmail: email, password: password)
        _user?.link(with: credential) { result, error in
            guard error == nil else { return self.report(error) }
            self._user = result?.user
        }
        _user?.link(with: OAuthProvider(providerID: "github.com"), uiDelegate: nil) { _, error in self.report(error) }
    }

    func unlink() {
        _user?.unlink(fromProvider: EmailAuthProviderID) { user, error in
            guard error == nil else { return self.report(error) }
            self.rows = user?.providerData.map(\.providerID) ?? []
        }
    }

    func change(email: String, password: String) {
        let credential = EmailAuthProvider.credential(withEmail: email, password: password)
        _user?.reauthenticate(with: credential) { _, error in
            if let error = error { return self.report(error) }
            self._user?.updatePassword(to: password) { error in self.report(error) }
            self._user?.sendEmailVerification(beforeUpdatingEmail: email) { error in self.report(error) }
            self._user?.updateEmail(to: email) { error in self.report(error) }
        }
        _user?.sendEmailVerification { error in self.report(error) }
    }

    func enroll(code: String) {
        guard let user = _user else { return }
        user.multiFactor.getSessionWithCompletion { session, error in
            guard let session = session else { return self.report(error) }
            TOTPMultiFactorGenerator.generateSecret(with: session) { secret, error in
                guard let secret = secret else { return self.report(error) }
                self.title = secret.sharedSecretKey()
                let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
                user.multiFactor.enroll(with: assertion, displayName: "App") { error in self.report(error) }
            }
        }
        for factor in user.multiFactor.enrolledFactors {
            user.multiFactor.unenroll(with: factor) { error in self.report(error) }
        }
    }

    func rename(to name: String, completion: @escaping (Error?) -> Void) {
        let change = _user?.createProfileChangeRequest()
        change?.displayName = name
        change?.commitChanges { error in completion(error) }
    }

    func signOut() {
        do {
            try Auth.auth().signOut()
        } catch let error {
            report(error)
        }
    }

    func delete() {
        _user?.delete { error in
            guard error == nil else { return self.report(error) }
            self._user = nil
        }
    }

    private func report(_ error: Error?) { title = error?.localizedDescription }
}

/// The screen that shares a user with the apps of a group.
class SharedKeychainController: UIViewController {
    var accessGroup: String? = "TEAMID.com.example.group1"
    var storedUser: User?

    func share() {
        guard let user = Auth.auth().currentUser else { return }
        do {
            storedUser = try Auth.auth().getStoredUser(forAccessGroup: accessGroup)
            try Auth.auth().useUserAccessGroup(accessGroup)
        } catch let error {
            title = "\(error)"
        }
        Auth.auth().updateCurrentUser(user) { error in
            if let error = error { self.title = error.localizedDescription }
        }
    }

    func leave() {
        do {
            try Auth.auth().useUserAccessGroup(nil)
            title = Auth.auth().userAccessGroup ?? "alone"
        } catch {
            title = error.localizedDescription
        }
    }
}
