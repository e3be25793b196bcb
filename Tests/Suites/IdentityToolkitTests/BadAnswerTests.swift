import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Responses that are not from Firebase, or are incomplete.
struct BadAnswerTests {
    @Test(
        "A response that is not Firebase's is networkError, and no user is signed in",
        arguments: [HTTPResponse.page(200), .page(403), .page(502), .page(511), HTTPResponse(status: 500)]
    )
    func page(_ response: HTTPResponse) async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        world.firebase.answer("accounts:signUp", response)
        let error = await expectFailure(.networkError) {
            try await auth.createUser(withEmail: "a@b.example", password: "secret")
        }
        #expect((error?.underlying as? IdentityToolkitRefusal)?.status == response.status)
        #expect(auth.currentUser == nil)
        // The same applies to a query.
        world.firebase.answer("accounts:signUp", nil)
        let user = try await auth.createUser(withEmail: "a@b.example", password: "secret").user
        world.firebase.answer("accounts:lookup", response)
        await expectFailure(.networkError) { try await user.reload() }
        #expect(auth.currentUser === user)
    }

    @Test("Too many requests are reported as such in any form of response")
    func tooMany() async throws {
        for response in [HTTPResponse.page(429), HTTPResponse(status: 429), .refusal("", status: 429)] {
            let world = FirebaseFixture()
            world.firebase.answer("accounts:signUp", response)
            await expectFailure(.tooManyRequests) { try await world.app().signInAnonymously() }
        }
    }

    @Test("An incomplete response: a change is outcomeUnknown, a query networkError")
    func half() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let half = HTTPResponse.json(#"{"idToken": "ey"#)
        for name in ["accounts:signUp", "accounts:update", "accounts:delete", "accounts:signInWithPassword", "token"] {
            world.firebase.answer(name, half)
        }
        await expectFailure(.outcomeUnknown) { try await auth.createUser(withEmail: "b@b.example", password: "secret") }
        await expectFailure(.outcomeUnknown) { try await user.updatePassword(to: "newer password") }
        await expectFailure(.outcomeUnknown) { try await user.delete() }
        await expectFailure(.networkError) { try await auth.signIn(withEmail: "b@b.example", password: "secret") }
        await expectFailure(.networkError) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser?.uid == user.uid)
    }

    @Test("A connection lost after a change leaves the outcome unknown and the user as is")
    func cut() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let before = try world.storedRefreshToken()
        let cut = HTTPError(.cutOff, "The connection broke.", requestWasSent: true)
        for name in ["accounts:signUp", "accounts:update", "accounts:delete", "accounts:signInWithPassword", "token"] {
            world.firebase.fail(name, cut)
        }
        await expectFailure(.outcomeUnknown) { try await auth.createUser(withEmail: "b@b.example", password: "secret") }
        await expectFailure(.outcomeUnknown) { try await user.updatePassword(to: "newer password") }
        await expectFailure(.outcomeUnknown) { try await user.delete() }
        await expectFailure(.networkError) { try await auth.signIn(withEmail: "b@b.example", password: "secret") }
        await expectFailure(.networkError) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser?.uid == user.uid)
        #expect(try world.storedRefreshToken() == before)
    }

    @Test("A response over 128 KiB or nested deeper than 32 levels is refused")
    func tooMuch() async throws {
        let world = FirebaseFixture()
        let (_, user) = try await world.signedIn()
        let account = #"{"users": [{"localId": "\#(user.uid)", "displayName": "Ada", "#
        func reload(_ more: String) async throws -> String? {
            world.firebase.answer("accounts:lookup", .json(account + more + "}]}"))
            try await user.reload()
            return user.displayName
        }
        func nested(_ count: Int) -> String {
            #""more": "# + String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(try await reload(#""more": "\#(String(repeating: "x", count: 130_000))""#) == "Ada")
        #expect(try await reload(nested(29)) == "Ada")
        await expectFailure(.networkError) {
            try await reload(#""more": "\#(String(repeating: "x", count: 131_072))""#)
        }
        await expectFailure(.networkError) { try await reload(nested(30)) }
    }

    @Test("Without a connection nothing is sent, which is networkError")
    func unreachable() async throws {
        let world = FirebaseFixture()
        for name in ["accounts:signUp", "token"] { world.firebase.fail(name, HTTPError(.unreachable, "No network.")) }
        await expectFailure(.networkError) { try await world.app().signInAnonymously() }
    }

    @Test(
        "A response without a required member is internalError",
        arguments: [
            ("accounts:signUp", "{}"), ("accounts:signUp", #"{"idToken": "a.b.c", "expiresIn": "3600"}"#),
            ("accounts:lookup", "{}"), ("accounts:lookup", #"{"users": []}"#),
            ("accounts:lookup", #"{"users": [{"localId": "a"}, {"localId": "b"}]}"#),
            ("accounts:lookup", #"{"users": [{"email": "a@b.example"}]}"#),
            ("accounts:lookup", #"{"users": [{"localId": "somebody-else"}]}"#),
        ]
    )
    func incomplete(_ name: String, _ answer: String) async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        world.firebase.answer(name, .json(answer))
        await expectFailure(.internalError) { try await auth.signInAnonymously() }
        #expect(auth.currentUser == nil)
    }

    @Test("A refresh that returns another user changes nothing")
    func otherUser() async throws {
        let world = FirebaseFixture()
        let (auth, user) = try await world.signedIn()
        let before = try world.storedRefreshToken()
        world.firebase.answer(
            "token",
            .json(#"{"id_token": "a.b.c", "refresh_token": "r", "expires_in": "3600", "user_id": "mallory"}"#)
        )
        await expectFailure(.internalError) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser?.uid == user.uid)
        #expect(try world.storedRefreshToken() == before)
    }
}
