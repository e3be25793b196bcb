import Dispatch
import Foundation
import SecretService
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import LocalIdentity

struct RecordTests {
    @Test("Many simultaneous first runs end with one key")
    func oneKey() async throws {
        for _ in 0..<8 {
            let world = LocalIdentityFixture()
            let identities = [world.identity(), world.identity()]
            let grants = try await withThrowingTaskGroup(of: IdentityGrant.self) { group in
                for number in 0..<16 {
                    group.addTask { try await identities[number % 2].signInAnonymously(tenantID: nil) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let keys = try await world.identity().publicKeys()
            for grant in grants {
                #expect(try SignedToken(grant.tokens.idToken).isSigned(byOneOf: keys))
                _ = try await world.identity().refreshTokens(grant.tokens.refreshToken)
            }
        }
    }

    @Test("Accounts and sessions made at the same time are all kept")
    func noLostUpdate() async throws {
        let world = LocalIdentityFixture()
        let identities = [world.identity(), world.identity()]
        let user = try await identities[0].createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let grants = try await withThrowingTaskGroup(of: IdentityGrant.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await identities[number % 2].signIn(
                        with: .password("a@example.com", "secret-1"),
                        tenantID: nil
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await world.shard(of: user.profile.uid)[user.profile.uid]?.sessions.count == 41)
        for grant in grants { _ = try await identities[0].refreshTokens(grant.tokens.refreshToken) }
    }

    @Test("Every record has the project's scope, the name default and one of 17 keys")
    func keys() {
        let keys = LocalIdentityFixture().keys
        #expect(Set(keys).count == 17)
        #expect(keys.allSatisfy { $0.scope == .project && $0.project == "project" && $0.instance == "default" })
        #expect(keys[1].kind == "identity-accounts-00" && keys[16].kind == "identity-accounts-15")
    }

    @Test(
        "An error of the store has a code and a remedy",
        arguments: [
            (RecordStoreError(.locked, "Why."), AuthErrorCode.keyringLocked),
            (RecordStoreError(.unavailable, "Why."), .keyringUnavailable),
            (RecordStoreError(.dismissed, "Why."), .promptDismissed),
            (RecordStoreError(.denied, "Why."), .accessDenied),
            (RecordStoreError(.damaged, "Why."), .recordDamaged),
            (RecordStoreError(.newerVersion, "Why."), .recordVersionUnsupported),
            (RecordStoreError(.timedOut, "Why."), .timedOut),
            (RecordStoreError(.timedOut, "Why.", outcomeIsUnknown: true), .outcomeUnknown),
            (RecordStoreError(.conflict, "Why."), .conflict),
            (RecordStoreError(.full, "Why."), .storeFull),
            (RecordStoreError(.failed, "Why."), .keychainError),
            (RecordStoreError(.failed, "Why.", outcomeIsUnknown: true), .outcomeUnknown),
        ]
    )
    func storeErrors(_ failure: RecordStoreError, _ code: AuthErrorCode) async throws {
        let store = FaultInjectingStore()
        let identity = LocalIdentityFixture(store: store).identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        for onlyWrites in [false, true] {
            store.mend()
            if onlyWrites { store.fail(.write, with: failure) } else { store.fail(with: failure) }
            let error = await expectFailure(code) {
                try await identity.refreshTokens(grant.tokens.refreshToken)
            }
            let (message, remedy) = try #require(error.map { ($0.message, $0.remedy) })
            #expect(message.hasSuffix(" Why.") && message.contains("project"))
            #expect(remedy?.hasSuffix(".") == true)
            #expect(error?.underlying is RecordStoreError)
        }
        store.mend()
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
    }

    @Test("A new key that meets a conflict gives way to the other process's key")
    func keyConflict() async throws {
        let elsewhere = LocalIdentityFixture()
        let theirs = try await elsewhere.identity().publicKeys()
        let key = RecordKey.identityKeys(of: elsewhere.project)
        guard case .whole(let record) = try elsewhere.store.read(key, by: .patient) else {
            Issue.record("no keys")
            return
        }
        let store = FaultInjectingStore()
        // The other process writes between this one's read and its own attempt.
        store.before(.update) { [base = store.base] _ in
            _ = try? base.update(key, by: .patient) { _ in .write(record.payload) }
        }
        store.fail(.update, times: 1, with: RecordStoreError(.conflict, "Another process was first."))
        #expect(try await LocalIdentityFixture(store: store).identity().publicKeys() == theirs)
        #expect(store.takeWrites().isEmpty)
    }

    @Test("Each call of the store has the configured deadline")
    func deadline() async throws {
        let store = FaultInjectingStore()
        let identity = LocalIdentityFixture(store: store).identity(timeout: .seconds(3))
        let earliest = Deadline.after(.seconds(3))
        _ = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let deadlines = store.takeDeadlines()
        #expect(deadlines.count >= 4)
        #expect(deadlines.allSatisfy { $0.remaining <= .seconds(3) && $0.remaining >= earliest.remaining })
    }

    @Test("A held lock ends the call at the deadline, with nothing changed")
    func timesOut() async throws {
        let world = LocalIdentityFixture()
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let key = RecordKey.identityAccounts(AccountShard.number(of: grant.profile.uid), of: world.project)
        let (held, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let ended = AsyncStream.makeStream(of: Void.self)
        Thread { [store = world.store] in
            _ = try? store.update(key, by: .patient) { _ in
                held.continuation.finish()
                release.wait()
                return .keep
            }
            ended.continuation.finish()
        }.start()
        for await _ in held.stream {}
        await expectFailure(.timedOut) {
            try await world.identity(timeout: .milliseconds(50)).refreshTokens(grant.tokens.refreshToken)
        }
        release.signal()
        for await _ in ended.stream {}
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
    }

    @Test("A store that blocks occupies no thread of the concurrency pool")
    func offThePool() async throws {
        let store = FaultInjectingStore()
        let identity = LocalIdentityFixture(store: store).identity()
        _ = try await identity.publicKeys()
        // Each of eight calls waits inside the store for the eighth. On a pool of a few threads they would wait
        // forever.
        let gate = DispatchSemaphore(value: 0)
        let arrived = Mutex(0)
        let late = Mutex(0)
        store.before(.read, times: nil) { _ in
            let isLast = arrived.withLock { count in
                count += 1
                return count == 8
            }
            if isLast { for _ in 0..<8 { gate.signal() } }
            if gate.wait(timeout: .now() + 120) == .timedOut { late.withLock { $0 += 1 } }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await identity.publicKeys() } }
            try await group.waitForAll()
        }
        #expect(late.withLock { $0 } == 0)
    }

    @Test("A record near its limit drops anonymous accounts first, and never exceeds it")
    func sizeLimit() async throws {
        let store = FaultInjectingStore()
        let world = LocalIdentityFixture(store: store)
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let number = AccountShard.number(of: anonymous.profile.uid)
        let key = RecordKey.identityAccounts(number, of: world.project)
        // Accounts with long names fill the record to just below its limit. Removing the anonymous account makes room
        // for another one.
        try await identity.records.update(accountOf: anonymous.profile.uid) { shard throws(AuthError) in
            shard[anonymous.profile.uid]?.displayName = String(repeating: "n", count: 1000)
            let random = { (count: Int) in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
            var bytes = 1000
            while bytes < AccountShard.sizeLimit - 1300 {
                let uid = AccountID.make(random)
                guard AccountShard.number(of: uid) == number else { continue }
                var account = LocalAccount(uid: uid, tenantID: nil, email: uid, created: 0)
                account.displayName = String(repeating: "n", count: 1000)
                shard.add(account)
                bytes += 1200
            }
        }
        let filled = try world.storedText()[key.kind]?.utf8.count ?? 0
        #expect(filled > 50_000)

        var uids: [String] = []
        var isFull = false
        for attempt in 0..<2000 where !isFull {
            let email = try EmailAddress("user-\(attempt)@example.com")
            guard AccountShard.number(of: email, tenantID: nil) == number else { continue }
            do throws(AuthError) {
                let grant = try await identity.createUser(withEmail: email.text, password: "secret-1", tenantID: nil)
                uids.append(grant.profile.uid)
            } catch {
                #expect(error.code == .quotaExceeded)
                isFull = true
            }
            #expect(try world.storedText()[key.kind]?.utf8.count ?? 0 <= AccountShard.sizeLimit)
        }
        #expect(isFull && !uids.isEmpty)
        await expectFailure(.userNotFound) {
            try await identity.refreshTokens(anonymous.tokens.refreshToken)
        }
        let shard = try await identity.records.shard(number)
        #expect(uids.allSatisfy { shard[$0] != nil })
    }

    @Test("A record full of sessions ends the longest unused and has room for a next token")
    func roomForSessions() async throws {
        let world = LocalIdentityFixture(store: FaultInjectingStore())
        let identity = world.identity()
        let keys = try await identity.records.keys()
        let signedIn = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let uid = signedIn.profile.uid
        let number = AccountShard.number(of: uid)
        let random: @Sendable (Int) -> [UInt8] = { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
        // Other accounts of that record, signed in 60 times each with ever later sessions, fill it up.
        let others = try await identity.records.update(accountOf: uid) { shard throws(AuthError) in
            var others: [String] = []
            while try VersionedContent.encode(shard).count + shard.growth < AccountShard.sizeLimit - 400 {
                let other = AccountID.make(random)
                guard AccountShard.number(of: other) == number else { continue }
                var account = LocalAccount(uid: other, tenantID: nil, email: other, created: 0)
                for time in 0..<60 {
                    let token = RefreshToken(uid: other, secret: random(RefreshToken.secretSize), keys)
                    account.begin(Session(token, at: time))
                    shard[other] = account
                    let size = try VersionedContent.encode(shard).count + shard.growth
                    if size > AccountShard.sizeLimit - 400 { break }
                }
                others.append(other)
            }
            return others
        }
        #expect(others.count > 2)
        let before = try await identity.records.shard(number)

        world.advance(by: 1)
        var token = signedIn.tokens.refreshToken
        for _ in 0..<4 {
            _ = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
            token = try await identity.refreshTokens(token).refreshToken
            world.advance(by: 1)
        }
        let after = try await identity.records.shard(number)
        #expect(try VersionedContent.encode(after).count + after.growth <= AccountShard.sizeLimit)
        #expect(after[uid]?.sessions.count == 5)
        #expect(after.accounts.map(\.uid) == before.accounts.map(\.uid))
        let ended = others.flatMap { other in
            (before[other]?.sessions ?? []).filter { after[other]?.sessions.contains($0) == false }
        }
        let kept = others.flatMap { after[$0]?.sessions ?? [] }
        #expect(!ended.isEmpty)
        #expect(try #require(ended.map(\.used).max()) <= #require(kept.map(\.used).max()))
        for other in others { #expect(after[other]?.used == before[other]?.used) }
    }

    @Test("A session grows by no more than the room that is reserved for it")
    func growth() async throws {
        let keys = try await LocalIdentityFixture().identity().records.keys()
        let token = RefreshToken(uid: "u", secret: Array(repeating: 255, count: RefreshToken.secretSize), keys)
        var session = Session(token, at: 1_800_000_000)
        let before = try JSONEncoder().encode(session).count
        _ = session.rotate(token, nonce: Array(repeating: 255, count: RefreshToken.nonceSize), keys, at: 1_800_000_001)
        #expect(try JSONEncoder().encode(session).count <= before + Session.rotationSize)
    }
}
