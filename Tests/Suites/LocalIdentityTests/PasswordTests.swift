import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct PasswordTests {
    private static let expected = "a7a7020a93937c52bcea3c5a2572a258f6d9cb225e43aa5b2a750d885aeb3b18"

    let world = LocalIdentityFixture()

    @Test("A user is created once, and signs in with the address in any case")
    func createAndSignIn() async throws {
        let created = try await world.identity().createUser(
            withEmail: "Person@Example.com",
            password: "secret-1",
            tenantID: nil
        )
        #expect(created.isNewUser && !created.profile.isAnonymous)
        #expect(created.profile.email == "person@example.com")
        #expect(created.profile.providerData.map(\.providerID) == ["password"])
        #expect(created.profile.providerData.map(\.uid) == ["person@example.com"])

        world.advance(by: 10)
        let signedIn = try await world.identity().signIn(
            with: .password("PERSON@example.COM", "secret-1"),
            tenantID: nil
        )
        #expect(!signedIn.isNewUser)
        #expect(signedIn.profile.uid == created.profile.uid)
        #expect(signedIn.profile.creationDate == created.profile.creationDate)
        #expect(signedIn.profile.lastSignInDate == created.profile.lastSignInDate?.addingTimeInterval(10))
    }

    @Test("An address is taken once, in any case and for every identity object")
    func taken() async throws {
        _ = try await world.identity().createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let other = world.identity()
        await expectFailure(.emailAlreadyInUse) {
            try await other.createUser(withEmail: "A@example.com", password: "secret-2", tenantID: nil)
        }
    }

    @Test("One of many simultaneous creations of one address succeeds")
    func createRace() async throws {
        let integrations = [world.identity(), world.identity()]
        let outcomes = await withTaskGroup(of: Result<String, AuthError>.self) { group in
            for number in 0..<12 {
                group.addTask {
                    do throws(AuthError) {
                        let grant = try await integrations[number % 2].createUser(
                            withEmail: "a@example.com",
                            password: "secret-1",
                            tenantID: nil
                        )
                        return .success(grant.profile.uid)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var winners: [String] = []
        for outcome in outcomes {
            switch outcome {
            case .success(let uid): winners.append(uid)
            case .failure(let error): #expect(error.code == .emailAlreadyInUse)
            }
        }
        #expect(winners.count == 1)
        #expect(try await world.shard(of: winners[0]).accounts.map(\.uid) == winners)
    }

    @Test("A wrong or empty password and an unknown address have different errors")
    func refused() async throws {
        let identity = world.identity()
        _ = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        for password in ["secret-2", "", "secret-1 ", "SECRET-1"] {
            await expectFailure(.wrongPassword) {
                try await identity.signIn(with: .password("a@example.com", password), tenantID: nil)
            }
        }
        await expectFailure(.userNotFound) {
            try await identity.signIn(with: .password("b@example.com", "secret-1"), tenantID: nil)
        }
    }

    @Test("A password of fewer than six characters is weak", arguments: ["", "12345", "äöüß€"])
    func weak(password: String) async throws {
        let identity = world.identity()
        await expectFailure(.weakPassword) {
            try await identity.createUser(withEmail: "a@example.com", password: password, tenantID: nil)
        }
        #expect(try world.storedText().isEmpty)
    }

    @Test(
        "A password may be of any script and length",
        arguments: ["123456", "пароль-🔑", String(repeating: "x", count: 5000)]
    )
    func anyPassword(password: String) async throws {
        let identity = world.identity()
        _ = try await identity.createUser(withEmail: "a@example.com", password: password, tenantID: nil)
        _ = try await identity.signIn(with: .password("a@example.com", password), tenantID: nil)
    }

    @Test(
        "A malformed address is refused",
        arguments: [
            "", "a", "@", "a@", "@b", "a@b@c", "a b@example.com", "a@example..com", "a@.com", "a@com.",
            "a\n@example.com",
            "a\0@example.com", String(repeating: "a", count: 250) + "@b.de",
        ]
    )
    func malformed(email: String) async throws {
        let identity = world.identity()
        await expectFailure(.invalidEmail) {
            try await identity.createUser(withEmail: email, password: "secret-1", tenantID: nil)
        }
        await expectFailure(.invalidEmail) {
            try await identity.signIn(with: .password(email, "secret-1"), tenantID: nil)
        }
        #expect(try world.storedText().isEmpty)
    }

    @Test("A well-formed address is accepted unchanged", arguments: ["a@b", "x.y+z@sub.example.com", "ä@ö.example"])
    func wellFormed(email: String) async throws {
        let grant = try await world.identity().createUser(withEmail: email, password: "secret-1", tenantID: nil)
        #expect(grant.profile.email == email)
    }

    @Test("The hash is scrypt's, with a separate salt and the configured cost")
    func hash() async throws {
        let one = try await PasswordHash.make(of: "password", cost: 10, salt: Array("NaClNaClNaCl".utf8))
        let two = try await PasswordHash.make(of: "password", cost: 10, salt: Array("NaClNaClNaCL".utf8))
        // Made with another implementation of scrypt: N 1024, r 8, p 1, 32 bytes.
        #expect(one.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == Self.expected)
        #expect(one.hash != two.hash)
        #expect(try await one.matches("password"))
        #expect(try await !two.matches("passwore"))
        #expect(LocalIdentity.Settings().passwordCost == 17)
        #expect([-1, 0, 15, 99].map(PasswordHash.usableCost) == [4, 4, 15, 18])

        let identity = world.identity()
        let uids = [
            try await identity.createUser(withEmail: "a@example.com", password: "same-one", tenantID: nil).profile.uid,
            try await identity.createUser(withEmail: "b@example.com", password: "same-one", tenantID: nil).profile.uid,
        ]
        var hashes: Set<Data> = []
        for uid in uids {
            let stored = try #require(try await world.shard(of: uid)[uid]?.password)
            #expect(stored.cost == 4 && stored.salt.count == 16)
            hashes.insert(stored.hash)
        }
        #expect(hashes.count == 2)
    }

    @Test("A password is checked while another process holds the lock on the accounts")
    func hashingOutsideTheLock() async throws {
        let identity = world.identity()
        let uid = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil).profile
            .uid
        let key = RecordKey.identityAccounts(AccountShard.number(of: uid), of: world.project)
        let (held, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let holder = Thread { [store = world.store] in
            _ = try? store.update(key, by: .patient) { _ in
                held.continuation.finish()
                release.wait()
                return .keep
            }
        }
        holder.start()
        for await _ in held.stream {}
        await expectFailure(.wrongPassword) {
            try await identity.signIn(with: .password("a@example.com", "wrong-one"), tenantID: nil)
        }
        release.signal()
        _ = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
    }

    @Test("Custom tokens are refused, and the error says that there is no server")
    func customToken() async throws {
        let identity = world.identity()
        let credential = AuthCredential(provider: "custom", content: .customToken("abc.def.ghi"))
        let error = await expectFailure(.operationNotAllowed) {
            try await identity.signIn(with: credential, tenantID: nil)
        }
        #expect(error?.message.contains("no server") == true)
        #expect(error?.message.contains("abc") == false)
    }
}
