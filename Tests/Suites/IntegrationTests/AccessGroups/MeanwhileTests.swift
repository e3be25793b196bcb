import TestSupport
import Testing

@testable import SharedAuth

/// Tests acts on a user of whom something else happens meanwhile: the stored state decides, not the stale copy.
///
/// The user is x, with the tokens `0`. An act that brings new tokens brings the tokens `1`.
struct MeanwhileTests {
    static let group = "group.example.meanwhile"
    static let other = "group.example.elsewhere"

    enum Act: CaseIterable {
        case refresh, reload
        /// A change of the profile, without and with new tokens.
        case change, name
        case link, unlink, reauthenticate, email, password
        case delete
        /// `updateCurrentUser` with another user, y.
        case update
    }

    /// What happens during the act's call of the identity provider, or before `updateCurrentUser`, which makes none.
    enum Meanwhile {
        /// A peer signs the user out; the app has not noticed a sign-out before the act.
        case signedOutBefore, signedOut
        /// A peer signs in another user, z.
        case replaced
        /// This process or another one moves the user from the app's own slot to a group.
        case movedHere, moved
        /// Saving fails; for `delete`, removing the user does.
        case unsaved
        /// The identity provider rejects the user, and removing the user fails.
        case rejected

        /// The slots in which it is tested.
        fileprivate var sources: [String?] {
            switch self {
            case .signedOutBefore, .signedOut, .replaced: [group]
            case .movedHere, .moved: [nil]
            case .unsaved, .rejected: [nil, group]
            }
        }
    }

    /// A row of the table: the outcome of some acts.
    struct Row: Sendable {
        let acts: [Act]
        let meanwhile: [Meanwhile]
        /// The current user afterwards, and the announcements.
        let current: String?
        let heard: [TestApp.Announcement]
        /// The refresh tokens in the slot, the current user's first; `later` after the next read, if they change.
        let stored: [String]
        let later: [String]
        /// The refresh token of x's object.
        let held: String
        /// The number of calls of the identity provider; the revocation of tokens that found no user comes later.
        let calls: Int
        let error: AuthErrorCode?

        init(
            _ acts: [Act],
            _ meanwhile: [Meanwhile],
            _ current: String?,
            heard: [TestApp.Announcement],
            stored: [String],
            later: [String]? = nil,
            held: String = "x/refresh/0",
            calls: Int = 1,
            error: AuthErrorCode? = nil
        ) {
            (self.acts, self.meanwhile, self.current, self.heard) = (acts, meanwhile, current, heard)
            (self.stored, self.later, self.held) = (stored, later ?? stored, held)
            (self.calls, self.error) = (calls, error)
        }
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        let act: Act
        let meanwhile: Meanwhile
        let source: String?
        let row: Row
        var testDescription: String { "\(act), \(meanwhile), in \(source ?? "the app's own slot")" }
    }

    /// The acts that bring new tokens, and those that change or read the profile only.
    static let exchanges: [Act] = [.refresh, .name, .link, .unlink, .reauthenticate, .email, .password]
    static let profileActs: [Act] = [.reload, .change]

    static let rows: [Row] = [
        Row(exchanges, [.signedOutBefore, .signedOut], nil, heard: .both(nil), stored: [], held: "x/refresh/1"),
        Row(profileActs + [.delete], [.signedOutBefore, .signedOut], nil, heard: .both(nil), stored: []),
        Row([.update], [.signedOut], "y", heard: .both("y"), stored: ["y/1"], calls: 0),

        Row(exchanges, [.replaced], "z", heard: .both("z"), stored: ["z/refresh/1"], held: "x/refresh/1"),
        Row(profileActs + [.delete], [.replaced], "z", heard: .both("z"), stored: ["z/refresh/1"]),
        Row([.update], [.replaced], "y", heard: .both("y"), stored: ["y/1"], calls: 0),

        Row(exchanges, [.movedHere, .moved], "x", heard: .token("x"), stored: ["x/refresh/1"], held: "x/refresh/1"),
        Row(profileActs, [.movedHere, .moved], "x", heard: [], stored: ["x/refresh/0"]),
        Row([.delete], [.movedHere, .moved], nil, heard: .both(nil), stored: []),
        Row([.update], [.moved], "y", heard: .both("y"), stored: ["y/1"], calls: 0),

        Row(
            exchanges,
            [.unsaved],
            "x",
            heard: [],
            stored: ["x/refresh/0"],
            later: ["x/refresh/1"],
            held: "x/refresh/1",
            error: .keychainError
        ),
        Row(profileActs + [.delete], [.unsaved], "x", heard: [], stored: ["x/refresh/0"], error: .keychainError),
        // The one exception to "nothing half-done", as in Firebase.
        Row([.update], [.unsaved], "y", heard: .both("y"), stored: ["x/refresh/0"], calls: 0, error: .keychainError),

        // Firebase removes the user from memory anyway; the next start brings the user back.
        Row(
            [.refresh, .name, .link, .unlink, .email, .password] + profileActs + [.delete],
            [.rejected],
            "x",
            heard: [],
            stored: ["x/refresh/0"],
            error: .userTokenExpired
        ),
    ]

    static let cells = rows.flatMap { row in
        row.acts.flatMap { act in
            row.meanwhile.flatMap { meanwhile in
                meanwhile.sources.map { Cell(act: act, meanwhile: meanwhile, source: $0, row: row) }
            }
        }
    }

    @Test("Whatever happens during an act, its outcome is that of its row", arguments: cells)
    func cell(_ cell: Cell) async throws {
        let (act, row) = (cell.act, cell.row)
        let world = try AppFixture()
        let (server, fault) = (ScriptedServer(issuer: Account.ownIssuer), Fault())
        let app = try TestApp(world, interceptor: fault.interceptor) { $0.identityProvider = server.source }
        try app.auth.useUserAccessGroup(cell.source)
        server.answer(.server("x", .server("x", "0"), providers: ["github.com"]))
        let user = try await app.auth.signIn(withEmail: "a@example.com", password: "secret").user
        let y = User(world.account("y"), auth: nil, slot: nil)
        try await prepare(cell, user, app, server, fault)
        _ = (app.announcements(), server.takeCalls())
        let before = try world.contents()

        let error = await error(of: act, user, y)

        #expect(error?.code == row.error)
        let isMoved = [.moved, .movedHere].contains(cell.meanwhile)
        let slot = isMoved ? Self.other : cell.source
        #expect(app.auth.userAccessGroup == slot)
        #expect(app.auth.currentUser?.uid == row.current)
        if row.current == "x" { #expect(app.auth.currentUser === user) }
        if row.current == "y" { #expect(app.auth.currentUser === y) }
        #expect(app.announcements() == row.heard)
        #expect(user.refreshToken == row.held)
        #expect(server.calls.count { !$0.hasPrefix("revoke") } == row.calls)
        #expect(fault.remaining == 0)
        #expect(try tokens(slot, world) == row.stored)
        #expect(try world.items().count == (row.stored.isEmpty ? 0 : 1))
        if row.error != nil { #expect(try world.contents() == before) }
        #expect(try TestApp(world).auth.currentUser?.uid == row.stored.first.map { String($0.prefix(1)) })
        // Nothing is left to adopt; tokens that could not be saved are saved.
        if act == .update, row.error != nil { return }
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(app.auth.currentUser?.uid == row.current)
        #expect(try tokens(slot, world) == row.later)
        for slot in [.own, .group(Self.group), .group(Self.other)] as [Slot] {
            #expect(app.auth.engine.unsavedTokens.entries(in: slot).isEmpty)
        }
    }

    /// Makes the other event happen: at once, or during the next call of the identity provider.
    private func prepare(
        _ cell: Cell,
        _ user: User,
        _ app: TestApp,
        _ server: ScriptedServer,
        _ fault: Fault
    ) async throws {
        let peer = try app.world.peer(Self.group)
        let event: @Sendable () async throws -> Void
        switch cell.meanwhile {
        case .signedOutBefore, .signedOut: event = { try peer.auth.signOut() }
        case .replaced: event = { try await peer.signIn("z") }
        case .movedHere: event = { try app.auth.migrateCurrentUser(toAccessGroup: Self.other) }
        case .moved: event = { try app.world.migrate(from: nil, to: Self.other) }
        case .unsaved: event = { fault.fail(cell.act == .delete ? "Delete" : "CreateItem") }
        case .rejected:
            server.fail(.userTokenExpired)
            event = { fault.fail("Delete") }
        }
        if cell.meanwhile == .signedOutBefore || cell.act == .update {
            try await event()
        } else {
            server.duringCalls {
                server.duringCalls(nil)
                await #expect(throws: Never.self) { try await event() }
            }
        }
        switch cell.act {
        case .refresh, .reload, .delete, .update: break
        case .change: server.answer(.server("x", user.snapshot.tokens))
        default: server.answer(.server("x", .server("x", "1")))
        }
    }

    private func error(of act: Act, _ user: User, _ other: User) async -> AuthError? {
        let credential = EmailAuthProvider.credential(withEmail: "a@example.com", password: "secret")
        do throws(AuthError) {
            switch act {
            case .refresh: _ = try await user.getIDToken(forcingRefresh: true)
            case .reload: try await user.reload()
            case .change, .name:
                let request = user.createProfileChangeRequest()
                request.displayName = "Ada"
                try await request.commitChanges()
            case .link: try await user.link(with: credential)
            case .unlink: try await user.unlink(fromProvider: "github.com")
            case .reauthenticate: try await user.reauthenticate(with: credential)
            case .email: try await user.updateEmail(to: "b@example.com")
            case .password: try await user.updatePassword(to: "secret-2")
            case .delete: try await user.delete()
            case .update: try await user.auth?.updateCurrentUser(other)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the refresh tokens in a slot, the current user's first.
    private func tokens(_ group: String?, _ world: AppFixture) throws -> [String] {
        let record = try world.record(group, appID: "com.example.Mail")
        let accounts = record.accounts.sorted { first, _ in first.id == record.current }
        return accounts.compactMap(\.tokens.refreshToken)
    }
}
