import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// `Auth` and `User` with Firebase as the identity provider.
struct AccountTests {
    @Test("A new password's tokens are stored without another call, for every app")
    func password() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let (before, created) = (try world.storedRefreshToken(), user.metadata.creationDate)
        // Any call after the change would fail.
        world.firebase.answer("accounts:lookup", .page(502))
        try await user.updatePassword(to: "newer password")
        #expect(world.firebase.names == ["accounts:update"])
        let after = try world.storedRefreshToken()
        #expect(after != nil && after != before)
        #expect(auth.currentUser?.uid == user.uid)
        #expect(user.providerData.map(\.providerID) == ["password"] && user.email == "ada@example.com")
        #expect(created != nil && user.metadata.creationDate == created)
        world.firebase.answer("accounts:lookup", nil)
        let other = try #require(try world.app().currentUser)
        _ = try await other.getIDToken(forcingRefresh: true)
        try await other.reload()
    }

    @Test("A new address stores new tokens too")
    func email() async throws {
        let world = FirebaseFixture()
        let (_, user) = try await world.signedIn()
        try await user.updateEmail(to: "eve@example.com")
        #expect(user.email == "eve@example.com")
        _ = try await user.getIDToken(forcingRefresh: true)
    }

    @Test("An anonymous user becomes permanent and keeps the uid")
    func upgrade() async throws {
        let world = FirebaseFixture()
        let user = try await world.app().signInAnonymously().user
        #expect(user.isAnonymous && user.providerData.isEmpty)
        let result = try await user.link(
            with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret")
        )
        let body = try #require(world.firebase.last("accounts:signUp")?.json)
        #expect(body["idToken"]?.string != nil && body["email"] == .string("a@b.example") && body["tenantId"] == nil)
        #expect(result.user.uid == user.uid && !user.isAnonymous && user.email == "a@b.example")
        try await user.link(with: GoogleAuthProvider.credential(withIDToken: "i-ada", accessToken: "a"))
        #expect(user.providerData.map(\.providerID) == ["password", "google.com"])
        await expectFailure(.providerAlreadyLinked) {
            try await user.link(with: GoogleAuthProvider.credential(withIDToken: "i-eve", accessToken: "a"))
        }
        try await user.unlink(fromProvider: "google.com")
        #expect(user.providerData.map(\.providerID) == ["password"])
        await expectFailure(.noSuchProvider) { try await user.unlink(fromProvider: "google.com") }
    }

    @Test("The tokens of a linked credential are stored even if the look-up fails")
    func linkWithoutLookup() async throws {
        let world = FirebaseFixture()
        let user = try await world.app().signInAnonymously().user
        world.firebase.answer("accounts:lookup", .page(502))
        try await user.link(with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret"))
        #expect(!user.isAnonymous && user.email == "a@b.example" && user.providerData.map(\.providerID) == ["password"])
        world.firebase.answer("accounts:lookup", nil)
        _ = try await user.getIDToken(forcingRefresh: true)
    }

    @Test("A sign-in whose look-up fails uses the tokens; a disabled user is refused")
    func signInWithoutLookup() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let uid = user.uid
        try auth.signOut()
        world.firebase.answer("accounts:lookup", .page(502))
        let again = try await auth.signIn(withEmail: "ada@example.com", password: "secret").user
        #expect(again.uid == uid && again.email == "ada@example.com")
        #expect(again.providerData.map(\.providerID) == ["password"])
        try auth.signOut()
        world.firebase.refuse("accounts:lookup", "USER_DISABLED")
        await expectFailure(.userDisabled) { try await auth.signIn(withEmail: "ada@example.com", password: "secret") }
        #expect(auth.currentUser == nil)
    }

    @Test("A new password's tokens are stored even if the caller is cancelled meanwhile")
    func cancelledPassword() async throws {
        let world = FirebaseFixture()
        let network = HeldNetwork(world.firebase, holding: "/accounts:update")
        let auth = try world.app { $0.transport = network }
        let user = try await auth.createUser(withEmail: "ada@example.com", password: "secret").user
        let before = try world.storedRefreshToken()
        let task = Task { try await user.updatePassword(to: "newer password") }
        await network.waitForRequest()
        task.cancel()
        network.letGo()
        try await task.value
        #expect(try world.storedRefreshToken() != before && world.storedRefreshToken() == user.refreshToken)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(auth.currentUser === user)
    }

    @Test("An e-mail link signs in once, even if the caller's task is cancelled meanwhile")
    func cancelledLink() async throws {
        let world = FirebaseFixture()
        let network = HeldNetwork(world.firebase, holding: "/accounts:signInWithEmailLink")
        let auth = try world.app { $0.transport = network }
        try await auth.sendSignInLink(
            toEmail: "a@b.example",
            actionCodeSettings: ActionCodeSettings(url: URL(string: "https://app.example"), handleCodeInApp: true)
        )
        let link = "https://p.example/__/auth/action?apiKey=KEY&mode=signIn&oobCode=\(world.firebase.lastCode)"
        let task = Task { try await auth.signIn(withEmail: "a@b.example", link: link).user.uid }
        await network.waitForRequest()
        task.cancel()
        network.letGo()
        let uid = try await task.value
        #expect(auth.currentUser?.uid == uid)
        #expect(try world.storedRefreshToken() != nil)
    }

    @Test(
        "The tokens of a linked credential are stored even if the look-up is malformed",
        arguments: ["{}", #"{"users": []}"#, #"{"users": [{}]}"#]
    )
    func malformedLookup(_ answer: String) async throws {
        let world = FirebaseFixture()
        let user = try await world.app().signInAnonymously().user
        let before = user.refreshToken
        world.firebase.answer("accounts:lookup", .json(answer))
        try await user.link(with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret"))
        #expect(!user.isAnonymous && user.email == "a@b.example" && user.providerData.map(\.providerID) == ["password"])
        #expect(user.refreshToken != before)
        #expect(try world.storedRefreshToken() == user.refreshToken)
        world.firebase.answer("accounts:lookup", nil)
        _ = try await user.getIDToken(forcingRefresh: true)
        try await user.reload()
    }

    @Test("The session ends if the look-up after a link reports a disabled account")
    func refusedLookup() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        let user = try await auth.signInAnonymously().user
        world.firebase.refuse("accounts:lookup", "USER_DISABLED")
        let error = await expectFailure(.userDisabled) {
            try await user.link(with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret"))
        }
        // An app has no use for the tokens.
        #expect(error?.details == nil)
        #expect(auth.currentUser == nil)
        #expect(try world.storedRefreshToken() == nil)
    }

    @Test("A credential of another account is returned, ready for a sign-in")
    func taken() async throws {
        let world = FirebaseFixture()
        let credential = GoogleAuthProvider.credential(withIDToken: "i-ada", accessToken: "a")
        let ada = try await world.app().signIn(with: credential).user
        let auth = try world.app()
        let user = try await auth.signIn(withCustomToken: "custom-eve").user
        let error = try #require(await expectFailure(.credentialAlreadyInUse) { try await user.link(with: credential) })
        guard let email = error.details?.email, let updated = error.details?.credential else {
            Issue.record("there is no credential")
            return
        }
        #expect(email == "ada@example.com" && updated.providerID == "google.com" && updated.idToken == "i-ada")
        #expect(auth.currentUser?.uid == "eve")
        let pending = try #require(world.firebase.lastAnswer("accounts:signInWithIdp")?.members["pendingToken"])
        #expect(try await auth.signIn(with: OAuthProvider.credential(updated)).user.uid == ada.uid)
        #expect(world.firebase.last("accounts:signInWithIdp")?.json?["pendingToken"] == pending)
        #expect(world.firebase.last("accounts:signInWithIdp")?.json?["postBody"] == nil)
    }

    @Test("An address with other sign-in methods names them and returns the credential")
    func confirmation() async throws {
        let world = FirebaseFixture()
        world.firebase.answer(
            "accounts:signInWithIdp",
            .json(
                #"{"needConfirmation": true, "email": "ada@example.com", "verifiedProvider": ["google.com"], "providerId": "github.com", "oauthAccessToken": "g"}"#
            )
        )
        let auth = try world.app()
        let error = try #require(
            await expectFailure(.accountExistsWithDifferentCredential) {
                try await auth.signIn(with: GitHubAuthProvider.credential(withToken: "g"))
            }
        )
        guard error.details?.email == "ada@example.com", let updated = error.details?.credential else {
            Issue.record("there is no credential")
            return
        }
        #expect(updated.accessToken?.token == "g" && error.message.contains("google.com"))
        world.firebase.answer(
            "accounts:signInWithIdp",
            .json(#"{"errorMessage": "EMAIL_EXISTS", "email": "ada@example.com"}"#)
        )
        await expectFailure(.emailAlreadyInUse) {
            try await auth.signIn(with: GitHubAuthProvider.credential(withToken: "g"))
        }
    }

    @Test("Another service's claims about the user are passed on")
    func details() async throws {
        let world = FirebaseFixture()
        let credential = OAuthProvider.credential(providerID: .google, idToken: "i-ada", rawNonce: "raw")
        let result = try await world.app().signIn(with: credential)
        #expect(result.additionalUserInfo?.isNewUser == true && result.additionalUserInfo?.username == "ada.l")
        #expect(result.additionalUserInfo?.jsonProfile == ["login": .string("ada"), "id": .number(7)])
        #expect(result.credential?.accessToken?.token == "there" && result.credential?.rawNonce == "raw")
        #expect(result.credential?.accessToken?.expirationDate == world.clock.now + 3599)
        #expect(result.user.providerData.map(\.uid) == ["i-ada"])
    }

    @Test("Reauthentication accepts only the same user and creates no account")
    func reauthentication() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let before = try world.storedRefreshToken()
        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret")
        )
        let after = try world.storedRefreshToken()
        #expect(after != before)
        let stranger = GoogleAuthProvider.credential(withIDToken: "i-new", accessToken: "a")
        await expectFailure(.userMismatch) { try await user.reauthenticate(with: stranger) }
        #expect(world.firebase.last("accounts:signInWithIdp")?.json?["autoCreate"] == .bool(false))
        _ = try await world.toolkit().signIn(with: stranger, tenantID: nil)
        world.firebase.forget()
        await expectFailure(.userMismatch) { try await user.reauthenticate(with: stranger) }
        // The mismatch is detected before the other account's look-up.
        #expect(world.firebase.names == ["accounts:signInWithIdp"])
        #expect(auth.currentUser?.uid == user.uid)
        #expect(try world.storedRefreshToken() == after)
    }

    @Test("A deleted account is signed out")
    func deletion() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        world.firebase.refuse("accounts:delete", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        await expectFailure(.requiresRecentLogin) { try await user.delete() }
        #expect(auth.currentUser?.uid == user.uid)
        world.firebase.answer("accounts:delete", nil)
        try await user.delete()
        #expect(auth.currentUser == nil)
    }

    @Test("Codes from mails verify an address and reset a password")
    func mails() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        try await user.sendEmailVerification()
        let verification = world.firebase.lastCode
        #expect(
            try await auth.checkActionCode(verification)
                == ActionCodeInfo(operation: .verifyEmail, email: "ada@example.com")
        )
        await expectFailure(.invalidActionCode) { try await auth.verifyPasswordResetCode(verification) }
        try await auth.applyActionCode(verification)
        await expectFailure(.invalidActionCode) { try await auth.applyActionCode(verification) }
        try await user.reload()
        #expect(user.isEmailVerified)
        try await user.sendEmailVerification(beforeUpdatingEmail: "eve@example.com")
        #expect(
            try await auth.checkActionCode(world.firebase.lastCode)
                == ActionCodeInfo(
                    operation: .verifyAndChangeEmail,
                    email: "eve@example.com",
                    previousEmail: "ada@example.com"
                )
        )
        try await auth.sendPasswordReset(withEmail: "ada@example.com")
        try await auth.confirmPasswordReset(withCode: world.firebase.lastCode, newPassword: "newer password")
        // Every session has ended, including this one.
        await expectFailure(.userTokenExpired) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser == nil)
        #expect(try await auth.signIn(withEmail: "ada@example.com", password: "newer password").user.uid == user.uid)
    }

    @Test("An e-mail link signs in once, and its settings must be complete")
    func link() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        await expectFailure(.missingContinueURI) {
            try await auth.sendSignInLink(
                toEmail: "a@b.example",
                actionCodeSettings: ActionCodeSettings(handleCodeInApp: true)
            )
        }
        let page = URL(string: "https://app.example")
        await expectFailure(.operationNotAllowed) {
            try await auth.sendSignInLink(toEmail: "a@b.example", actionCodeSettings: ActionCodeSettings(url: page))
        }
        try await auth.sendSignInLink(
            toEmail: "a@b.example",
            actionCodeSettings: ActionCodeSettings(url: page, handleCodeInApp: true)
        )
        let link = "https://p.example/__/auth/action?apiKey=KEY&mode=signIn&oobCode=\(world.firebase.lastCode)&lang=de"
        #expect(auth.isSignIn(withEmailLink: link))
        let result = try await auth.signIn(withEmail: "a@b.example", link: link)
        #expect(result.additionalUserInfo?.isNewUser == true && result.user.isEmailVerified)
        await expectFailure(.invalidActionCode) { try await auth.signIn(withEmail: "a@b.example", link: link) }
    }

    @Test("A project that protects addresses names the call for a new address")
    func protectedEmail() async throws {
        let world = FirebaseFixture()
        let (_, user) = try await world.signedIn()
        world.firebase.refuse(
            "accounts:update",
            "OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
        )
        let error = await expectFailure(.operationNotAllowed) { try await user.updateEmail(to: "eve@example.com") }
        #expect(error?.remedy?.contains("sendEmailVerification(beforeUpdatingEmail:)") == true)
    }
}
