import TestSupport
import Testing

@testable import SharedAuth

/// Tests how long an account keeps its user object.
struct LiveUsersTests {
    private let users = LiveUsers()

    private func account(_ uid: String) -> Account {
        Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, "1"), project: "p", issuer: "i")
    }

    @Test("An account keeps its object while it is current or held by the app")
    func sameObject() {
        var held: User? = User(account("x"), auth: nil, slot: nil)
        weak let object = held
        users.note(held)
        #expect(users.user(account("x"), in: .own, auth: nil) === held)
        users.note(User(account("y"), auth: nil, slot: nil))
        #expect(users.user(account("x"), in: .own, auth: nil) === held)
        users.note(held)
        held = nil
        #expect(object != nil)
        users.note(nil)
        #expect(object == nil)
        #expect(users.user(account("x"), in: .own, auth: nil).uid == "x")
    }
}
