import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Makes every change of an app, with every change of another process before each store call that the app's change
/// makes.
///
/// The result must equal that of both changes in one of the two orders or, if the app's change throws, that of the
/// other process's change alone. A failing store leaves the content of before or of after the app's change.
struct OvertakingTests {
    @Test(
        "A change and another process's change happen one after the other",
        arguments: Change.allCases,
        Overtaking.allCases
    )
    func overtaken(_ change: Change, _ overtaking: Overtaking) async throws {
        let orders = [
            try await Run.end { run in
                try await run.make(change)
                run.make(overtaking)
            },
            try await Run.end { run in
                run.make(overtaking)
                try await run.make(change)
            },
        ]
        let alone = try await Run.end { $0.make(overtaking) }
        var moment = 1
        while true {
            let run = try Run()
            let hasCome = Mutex(false)
            run.before(call: moment) {
                hasCome.withLock { $0 = true }
                run.make(overtaking)
            }
            let error = await run.failure(of: change)
            if !hasCome.withLock({ $0 }) { break }
            let found = try run.slots()
            let place = "\(change) × \(overtaking) before call \(moment), \(error.map { "\($0)" } ?? "done"): \(found)"
            #expect(orders.contains(found) || error != nil && found == alone, "\(place), and not \(orders) or \(alone)")
            try run.expectAgreement(place, ofOwnSlot: overtaking == .choseGroup)
            moment += 1
        }
        #expect(moment > 1)
    }

    @Test("A change whose store fails is made or not, and reports which", arguments: Change.allCases, Failing.allCases)
    func failed(_ change: Change, _ failing: Failing) async throws {
        let before = try Run().slots()
        let after = try await Run.end { try await $0.make(change) }
        var moment = 1
        while true {
            let run = try Run()
            let hasFailed = run.fail(failing, at: moment)
            let error = await run.failure(of: change)
            if !hasFailed() { break }
            run.app.store.mend()
            // A reread finishes a deletion that failed.
            _ = run.auth.engine.rereadSlot()
            let found = try run.slots()
            let place = "\(change) × \(failing) at \(moment), \(error.map { "\($0)" } ?? "done"): \(found)"
            switch error {
            case nil: #expect(found == after, "\(place), and not \(after)")
            case .outcomeUnknown?: #expect(found == before || found == after, "\(place), and not \(before) or \(after)")
            // A reread saves tokens that could not be saved.
            default: #expect(found == before || change == .refresh && found == after, "\(place), and not \(before)")
            }
            try run.expectAgreement(place, mayShowUnsaved: error != nil && change.signsIn)
            moment += 1
        }
        #expect(moment > 1)
    }
}

/// A change that an app makes.
enum Change: CaseIterable {
    case signIn, signInAnonymously, update, switchUser, signOut, signOutOther, signOutAll
    case refresh, reload, changeProfile, delete, useGroup, migrate

    var signsIn: Bool { [.signIn, .signInAnonymously, .update].contains(self) }
}

/// A change that another process makes.
enum Overtaking: CaseIterable {
    case moved, movedAndBack, choseGroup, signedOut, signedIn, otherIssuer, damaged, newer
}

/// A failure of the store at a write.
enum Failing: CaseIterable {
    case locked, full, unknown, unknownAndDone
}

/// An app in its own slot with the current user `x` and another user `z`, and the processes around it.
private struct Run {
    let app = MemoryApp()
    let auth: Auth
    let user: User

    init() throws {
        try app.put("z", "x", in: .own)
        auth = try app.start { $0.keepsOtherUsers = true }
        user = try #require(auth.currentUser)
    }

    /// Returns the slots after some steps, whose errors are ignored.
    static func end(_ steps: (Run) async throws -> Void) async throws -> [String] {
        let run = try Run()
        try? await steps(run)
        return try run.slots()
    }

    // MARK: Changes

    func make(_ change: Change) async throws {
        switch change {
        case .signIn: try await app.signIn("y", in: auth)
        case .signInAnonymously:
            app.identity.expect(.scripted("n", anonymous: true))
            try await auth.signInAnonymously()
        case .update: try await auth.updateCurrentUser(User(app.account("y"), auth: auth, slot: nil))
        case .switchUser: try await auth.switchCurrentUser(toUID: "z")
        case .signOut: try auth.signOutNow()
        case .signOutOther: try await auth.signOut(uid: "z")
        case .signOutAll: try await auth.signOutAll()
        case .refresh: _ = try await user.getIDToken(forcingRefresh: true)
        case .reload:
            app.identity.setProfile(UserProfile(uid: "x", displayName: "Ada"))
            try await user.reload()
        case .changeProfile:
            let request = user.createProfileChangeRequest()
            request.displayName = "Ada"
            try await request.commitChanges()
        case .delete: try await user.delete()
        case .useGroup: try await auth.useUserAccessGroup(app.otherGroup, timeout: .seconds(60))
        case .migrate: try await auth.migrateCurrentUser(toAccessGroup: app.otherGroup)
        }
    }

    func failure(of change: Change) async -> AuthErrorCode? {
        do {
            try await make(change)
            return nil
        } catch {
            return (error as? AuthError)?.code ?? .internalError
        }
    }

    func make(_ overtaking: Overtaking) {
        switch overtaking {
        case .moved: migrate(from: .own, to: .shared)
        case .movedAndBack:
            migrate(from: .own, to: .shared)
            migrate(from: .shared, to: .own)
        case .choseGroup: #expect(throws: Never.self) { try app.startPeer().useUserAccessGroup(app.group) }
        case .signedOut: change { $0.removing(app.account("x").id) }
        case .signedIn: change { $0.signingIn(app.account("v")) }
        case .otherIssuer: change { $0.signingIn(app.account("x", "theirs", issuer: "https://other.example")) }
        case .damaged: app.store.base.put(.damaged("the test has damaged it"), under: .own)
        case .newer: app.store.base.put(.newer("its format version is 99"), under: .own)
        }
    }

    private func migrate(from source: Slot, to target: Slot) {
        _ = try? app.perform(app.migration(from: source, to: target, .add, on: app.store.base))
    }

    private func change(_ change: (UserRecord) -> UserRecord) { try? app.change(.own, change) }

    // MARK: Moments

    /// Runs `act` before the app's store call of this number, counted from 1.
    func before(call number: Int, _ act: @escaping @Sendable () -> Void) {
        let count = Mutex(0)
        for call in [StoreCall.read, .update] {
            app.store.before(call, times: nil) { _ in
                let isDue = count.withLock { count in
                    count += 1
                    return count == number
                }
                if isDue { act() }
            }
        }
    }

    /// Fails the write of this number, counted from 1; the others succeed.
    ///
    /// - Returns: A closure that returns whether that write was reached.
    func fail(_ failing: Failing, at number: Int) -> () -> Bool {
        let count = Counter()
        app.store.intercept(.write, isAfter: failing == .unknownAndDone) { _ throws(RecordStoreError) in
            guard count.next() == number else { return }
            switch failing {
            case .locked: throw RecordStoreError(.locked, "The test has locked it.")
            case .full: throw RecordStoreError(.full, "The test has filled it.")
            case .unknown, .unknownAndDone:
                throw RecordStoreError(.timedOut, "The test does not answer.", outcomeIsUnknown: true)
            }
        }
        return { count.value >= number }
    }

    // MARK: The end

    /// Returns the content of each slot as text.
    func slots() throws -> [String] {
        let slots = app.slots
        var lines = [Slot.own, .shared, .elsewhere].map { slot -> String in
            do throws(AuthError) {
                let record = try slots.read(slot, by: .patient).record
                let accounts = record.accounts.map { account in
                    (account.id == record.current ? "*" : "") + "\(account.id.description) "
                        + "\(account.tokens.refreshToken ?? "-") \(account.profile.displayName ?? "-")"
                }
                return "\(slot.description): \(accounts.sorted().joined(separator: ", "))"
            } catch {
                return "\(slot.description): \(error.code)"
            }
        }
        lines.append("choice: \(try app.journal().read().slot.description)")
        return lines
    }

    /// Expects that the app, after a reread, shows the same user and slot as an app that starts now; or, if another
    /// process has switched by hand, as an app that starts in the same slot.
    func expectAgreement(_ place: String, ofOwnSlot: Bool = false, mayShowUnsaved: Bool = false) throws {
        for _ in 1...2 { _ = auth.engine.rereadSlot() }
        let other = try app.startPeer()
        if ofOwnSlot { try other.useUserAccessGroup(auth.userAccessGroup) }
        let (shown, stored) = (auth.currentUser?.id, other.currentUser?.id)
        // A running app keeps showing its user while the record cannot be read.
        if other.engine.state.failure != nil { return }
        #expect(shown == stored || mayShowUnsaved && shown != nil, "\(place); shown: \(String(describing: shown))")
        if shown == stored { #expect(auth.userAccessGroup == other.userAccessGroup, "\(place)") }
    }
}

extension Auth {
    /// Signs out synchronously in an async test.
    fileprivate func signOutNow() throws(AuthError) { try signOut() }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
