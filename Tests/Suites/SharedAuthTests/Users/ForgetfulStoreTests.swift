import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Moves on a store that acknowledges a write before it is durable, and that cannot list its records.
struct ForgetfulStoreTests {
    private let place: FilePlace
    private let store = FaultInjectingStore(PlainStore(), isDurable: false)

    init() throws {
        place = try FilePlace()
    }

    private func migration() throws -> UserMigration {
        try UserMigration(
            from: nil,
            to: "group.example.a",
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: place.root, home: "/nonexistent", given: [])
        )
    }

    private func migrate() throws -> [UserMigration.Outcome.Kind] {
        let migration = try migration()
        return try migration.plan(for: .named(["com.example.Mail"])).flatMap { migration.perform($0) }.map(\.kind)
    }

    @Test("The original stays, recorded in the copy, until a later start reads the copy")
    func original() throws {
        let slots = try migration().slots(of: "com.example.Mail")
        let deadline = Deadline.patient
        let tokens = UserTokens.scripted("x", "1")
        let account = Account(profile: UserProfile(uid: "x"), tokens: tokens, project: "p")
        let put = try slots.update(.own, by: deadline) { .store($0.record.signingIn(account)) }

        #expect(try migrate() == [.moved])
        #expect(try slots.read(.own, by: deadline).revision == put.revision)
        let copy = try slots.read(.group("group.example.a"), by: deadline).record.currentAccount
        #expect(copy?.remainingOriginals == [try slots.copiedFrom(.own, at: #require(put.revision))])
        #expect(try migrate() == [.alreadyThere])

        let options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "p",
            store: .custom(store),
            stateDirectory: place.root,
            observesOtherProcesses: false
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.userAccessGroup == "group.example.a")
        #expect(try slots.read(.own, by: deadline).revision == nil)
        #expect(try migrate() == [.alreadyThere])
    }

    @Test(
        "Each of several accounts from one original removes its own when it signs out",
        arguments: [true, false]
    )
    func severalAccounts(isTogether: Bool) async throws {
        let slots = try migration().slots(of: "com.example.Mail")
        let deadline = Deadline.patient
        _ = try slots.update(.own, by: deadline) { found in
            .store(
                ["x", "y"].reduce(found.record) { record, uid in
                    let account = Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, "1"), project: "p")
                    return record.signingIn(account, keepingOthers: true)
                }
            )
        }
        #expect(try migrate() == [.moved])

        let options = AuthApp.Options(
            appID: "com.example.Calendar",
            accessGroups: ["group.example.a"],
            project: "p",
            store: .custom(store),
            stateDirectory: place.root,
            observesOtherProcesses: false
        )
        let calendar = Auth.auth(app: try AuthApp(unregistered: options))
        try calendar.useUserAccessGroup("group.example.a")
        if isTogether {
            try await calendar.signOutAll()
        } else {
            try await calendar.signOut(uid: "x")
            #expect(try slots.read(.own, by: deadline).record.accounts.map(\.uid) == ["y"])
            try await calendar.signOut(uid: "y")
        }
        #expect(try slots.read(.own, by: deadline).revision == nil)
        #expect(try slots.read(.group("group.example.a"), by: deadline).revision == nil)
    }

    @Test("A store that cannot list its records moves named apps, but cannot find all")
    func unlisted() throws {
        let migration = try migration()
        expectFailure(AuthErrorCode.keychainError) { try migration.plan(for: .all) }
        #expect(try migrate() == [.nothing])
    }
}
