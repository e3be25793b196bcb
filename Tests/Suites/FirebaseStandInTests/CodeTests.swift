import FirebaseStandInServer
import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Mails of the stand-in, which are not sent")
struct CodeTests {
    private let project: Project
    private let toolkit: IdentityToolkit

    init() throws {
        project = try Project()
        toolkit = project.toolkit()
    }

    private func lastCode() throws -> OneTimeCode { try #require(project.standIn.codes.last) }

    @Test("Anyone who opens a reset mail can set a password once, which ends every session")
    func reset() async throws {
        let tokens = try await project.signUp().tokens
        try await toolkit.sendPasswordReset(to: "Ada@example.com", settings: nil, tenantID: nil)
        let code = try lastCode().code
        #expect(try await toolkit.verifyPasswordResetCode(code, tenantID: nil) == "ada@example.com")
        await expectFailure(.weakPassword) {
            try await toolkit.confirmPasswordReset(withCode: code, newPassword: "abc", tenantID: nil)
        }
        try await toolkit.confirmPasswordReset(withCode: code, newPassword: "secret-2", tenantID: nil)
        await expectFailure(.invalidActionCode) {
            try await toolkit.confirmPasswordReset(withCode: code, newPassword: "secret-3", tenantID: nil)
        }
        await expectFailure(.userTokenExpired) { try await toolkit.refresh(tokens, scopes: []) }
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-2")
        #expect(try await toolkit.signIn(with: credential, tenantID: nil).profile.isEmailVerified)
    }

    @Test("A code that is too old has expired; one that was never sent is invalid")
    func expiry() async throws {
        _ = try await project.signUp()
        try await toolkit.sendPasswordReset(to: "ada@example.com", settings: nil, tenantID: nil)
        let code = try lastCode().code
        project.standIn.advanceClock(by: 3601)
        await expectFailure(.expiredActionCode) { try await toolkit.checkActionCode(code, tenantID: nil) }
        await expectFailure(.invalidActionCode) { try await toolkit.checkActionCode("guess", tenantID: nil) }
    }

    @Test("Mails are listed on a page with working links, and as JSON")
    func page() async throws {
        let tokens = try await project.signUp().tokens
        try await toolkit.sendEmailVerification(for: tokens, settings: nil)
        let shown = try await project.page("\(project.standIn.address)/stand-in/codes")
        let html = String(decoding: shown.body, as: UTF8.self)
        let code = try lastCode()
        #expect(html.contains("ada@example.com") && html.contains(code.code) && html.contains("SharedAuth"))
        let list = try await project.send(.get, "/emulator/v1/projects/stand-in/oobCodes").objects("oobCodes")
        #expect(list.map { $0.string("oobCode") } == [code.code])
        let link = try #require(list.first?.string("oobLink"))
        #expect(ActionCodeURL(link: link)?.operation == .verifyEmail)
        #expect(try await project.page(link).status == 200)
        #expect(try await toolkit.profile(for: tokens).isEmailVerified)
        #expect(try await project.page(link).status == 400)
    }

    @Test("A new address counts when its mail is opened, and the old one can revert it")
    func changeOfAddress() async throws {
        let tokens = try await project.signUp().tokens
        try await toolkit.sendEmailVerification(beforeUpdatingEmail: "new@example.com", for: tokens, settings: nil)
        let code = try lastCode().code
        let info = try await toolkit.checkActionCode(code, tenantID: nil)
        #expect(info.email == "new@example.com" && info.previousEmail == "ada@example.com")
        #expect(try await toolkit.profile(for: tokens).email == "ada@example.com")
        try await toolkit.applyActionCode(code, tenantID: nil)
        await expectFailure(.userTokenExpired) { try await toolkit.profile(for: tokens) }
        let moved = EmailAuthProvider.credential(withEmail: "new@example.com", password: "secret-1")
        #expect(try await toolkit.signIn(with: moved, tenantID: nil).profile.isEmailVerified)
        let recovery = try lastCode()
        #expect(recovery.kind == .recoverEmail)
        try await toolkit.applyActionCode(recovery.code, tenantID: nil)
        let back = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-1")
        _ = try await toolkit.signIn(with: back, tenantID: nil)
    }

    @Test("A link signs in the address that it was sent to once, and creates the account")
    func link() async throws {
        let settings = ActionCodeSettings(url: URL(string: "http://localhost/finish"), handleCodeInApp: true)
        try await toolkit.sendSignInLink(to: "bo@example.com", settings: settings, tenantID: nil)
        let link = try lastCode().link(at: project.standIn.address)
        await expectFailure(.invalidEmail) {
            try await toolkit.signIn(with: .link("other@example.com", link), tenantID: nil)
        }
        let grant = try await toolkit.signIn(with: .link("bo@example.com", link), tenantID: nil)
        #expect(grant.isNewUser && grant.profile.isEmailVerified && grant.profile.email == "bo@example.com")
        await expectFailure(.invalidActionCode) {
            try await toolkit.signIn(with: .link("bo@example.com", link), tenantID: nil)
        }
        settings.url = URL(string: "https://elsewhere.example/")
        await expectFailure(.unauthorizedDomain) {
            try await toolkit.sendSignInLink(to: "bo@example.com", settings: settings, tenantID: nil)
        }
    }

    @Test("A sign-in link in a browser redirects to the app's page with the code")
    func browser() async throws {
        let settings = ActionCodeSettings(url: URL(string: "http://localhost/finish?a=b"), handleCodeInApp: true)
        try await toolkit.sendSignInLink(to: "bo@example.com", settings: settings, tenantID: nil)
        let answer = try await project.page(try lastCode().link(at: project.standIn.address))
        let target = try #require(answer.headers["Location"])
        #expect(answer.status == 303 && target.hasPrefix("http://localhost/finish?a=b&"))
        let grant = try await toolkit.signIn(with: .link("bo@example.com", target), tenantID: nil)
        #expect(grant.isNewUser)
    }

    @Test("A mail is in the language that the app requests")
    func language() async throws {
        _ = try await project.signUp()
        let german = project.toolkit { $0.languageCode = "de" }
        try await german.sendPasswordReset(to: "ada@example.com", settings: nil, tenantID: nil)
        #expect(try lastCode().language == "de")
    }
}

extension AuthCredential {
    fileprivate static func link(_ email: String, _ link: String) -> AuthCredential {
        EmailAuthProvider.credential(withEmail: email, link: link)
    }
}
