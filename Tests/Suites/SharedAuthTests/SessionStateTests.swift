import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// The transitions of `SessionState`, without bus or keyring: each row has an event, the state before, and the effects.
struct SessionStateTests {
    static let own = Slot.own
    static let group = Slot.group("group.example.a")

    /// A row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The events before.
        var before: [SessionState.Event] = [.readChoice(SlotInUse(own))]
        let event: SessionState.Event
        /// The effects, in words and in order.
        let effects: [String]
        /// The state afterwards.
        let after: String

        var testDescription: String { "row \(name): \(effects.joined(separator: ", ")); \(after)" }
    }

    static let rows: [Row] = [
        Row(
            name: "1, the first load finds no user",
            event: .found(contents(), in: own),
            effects: ["keep fresh no user", "settle no user", "clear own"],
            after: "no user in own"
        ),
        Row(
            name: "2, the first load finds a user",
            event: .found(contents("x"), in: own),
            effects: ["update x", "keep fresh x", "announce x", "addIfNone own"],
            after: "x in own"
        ),
        Row(
            name: "3, the first load fails",
            event: .failed(AuthError(.keyringLocked, "locked")),
            effects: ["tell keyringLocked"],
            after: "locked in own"
        ),
        Row(
            name: "4, a user is found who could not be read before",
            before: [.readChoice(SlotInUse(own)), .failed(AuthError(.keyringLocked, "locked"))],
            event: .found(contents("x"), in: own),
            effects: ["update x", "keep fresh x", "announce x", "add own", "tell nothing"],
            after: "x in own"
        ),
        Row(
            name: "5, the same write is found again",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents("x"), in: own),
            effects: [],
            after: "x in own"
        ),
        Row(
            name: "6, a peer refreshes the token",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents("x", token: "2", revision: 2), in: own),
            effects: ["update x", "keep fresh x", "announce x"],
            after: "x in own"
        ),
        Row(
            name: "7, a peer changes the profile alone",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents("x", revision: 2), in: own),
            effects: ["update x", "keep fresh x", "settle x"],
            after: "x in own"
        ),
        Row(
            name: "8, a peer signs another user in",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents("y", revision: 2), in: own),
            effects: ["update y", "keep fresh y", "announce y", "add own"],
            after: "y in own"
        ),
        Row(
            name: "9, a peer signs the user out",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents(revision: 2), in: own),
            effects: ["keep fresh no user", "announce no user", "clear own"],
            after: "no user in own"
        ),
        Row(
            name: "10, a record of another slot is ignored",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .found(contents("y"), in: group),
            effects: [],
            after: "x in own"
        ),
        Row(
            name: "11, joining an empty group",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .switched(to: SlotInUse(group), contents()),
            effects: [
                "watch group.example.a", "keep fresh no user", "announce no user", "clear group.example.a",
            ],
            after: "no user in group.example.a"
        ),
        Row(
            name: "12, joining a user",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .switched(to: SlotInUse(group), contents("y")),
            effects: ["watch group.example.a", "update y", "keep fresh y", "announce y", "add group.example.a"],
            after: "y in group.example.a"
        ),
        Row(
            name: "13, joining a damaged group while signed out",
            before: [.readChoice(SlotInUse(own)), .found(contents(), in: own)],
            event: .failed(AuthError(.recordDamaged, "damaged"), in: SlotInUse(group)),
            effects: ["watch group.example.a", "unsettle"],
            after: "damaged in group.example.a"
        ),
        Row(
            name: "14, moving to a group notifies no listener",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .moved(user("x"), to: SlotInUse(group), contents("x", revision: 9)),
            effects: ["watch group.example.a", "update x", "keep fresh x", "settle x", "add group.example.a"],
            after: "x in group.example.a"
        ),
        Row(
            name: "15, signing in",
            before: [.readChoice(SlotInUse(own)), .found(contents(), in: own)],
            event: .signedIn(user("x"), stored("x", revision: 2)),
            effects: ["update x", "keep fresh x", "announce x", "add own"],
            after: "x in own"
        ),
        Row(
            name: "16, a user set by hand who could not be saved is current nevertheless",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .signedInUnsaved(user("y")),
            effects: ["keep fresh y", "announce y", "add own"],
            after: "y in own"
        ),
        Row(
            name: "17, signing out",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .signedOut(of: SlotInUse(.own), contents()),
            effects: ["keep fresh no user", "announce no user", "clear own"],
            after: "no user in own"
        ),
        Row(
            name: "18, a user of a tenant other than the app's is not shown, but is kept",
            before: [.readChoice(SlotInUse(own)), .choseTenant("t")],
            event: .found(contents("x"), in: own),
            effects: ["keep fresh no user", "settle no user", "addIfNone own"],
            after: "no user in own"
        ),
        Row(
            name: "19, an app deleted while a user is signed in has no user",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .failed(AuthError(.appDeleted, "deleted")),
            effects: ["keep fresh no user", "unsettle"],
            after: "unavailable in own"
        ),
        Row(
            name: "20, a keyring that is locked later leaves the user signed in",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .notedSaveFailure(AuthError(.keyringLocked, "locked")),
            effects: ["tell keyringLocked"],
            after: "x in own"
        ),
        Row(
            name: "21, the same failure is told once",
            before: [
                .readChoice(SlotInUse(own)), .found(contents("x"), in: own),
                .notedSaveFailure(AuthError(.keyringLocked, "locked")),
            ],
            event: .notedSaveFailure(AuthError(.keyringLocked, "locked")),
            effects: [],
            after: "x in own"
        ),
        Row(
            name: "22, the next read that succeeds takes the failure back",
            before: [
                .readChoice(SlotInUse(own)), .found(contents("x"), in: own),
                .notedSaveFailure(AuthError(.keyringLocked, "locked")),
            ],
            event: .found(contents("x"), in: own),
            effects: ["tell nothing"],
            after: "x in own"
        ),
    ]

    @Test("An event has these effects, in this order, and leads to this state", arguments: rows + watching + tenants)
    func transition(_ row: Row) {
        var state = SessionState { User($0, auth: nil, slot: $1) }
        for event in row.before { _ = state.apply(event) }
        #expect(state.apply(row.event).map(Self.words) == row.effects)
        #expect(Self.words(state) == row.after)
        // Only the signed-in state has a user.
        if case .signedIn(let user) = state.answer { #expect(state.user === user) } else { #expect(state.user == nil) }
    }

    @Test("A user who stays the same stays the same object")
    func sameObject() {
        var state = SessionState { User($0, auth: nil, slot: $1) }
        _ = state.apply(.readChoice(SlotInUse(Self.own)))
        _ = state.apply(.found(Self.contents("x"), in: Self.own))
        let user = state.user
        _ = state.apply(.found(Self.contents("x", token: "2", revision: 2), in: Self.own))
        #expect(state.user === user)
        _ = state.apply(.switched(to: SlotInUse(Self.own), Self.contents("x", token: "2", revision: 2)))
        #expect(state.user === user)
    }

    @Test("The tenant follows the user, outlives sign-out, and stays if the app sets it")
    func tenant() {
        var state = SessionState { User($0, auth: nil, slot: $1) }
        _ = state.apply(.readChoice(SlotInUse(Self.own)))
        _ = state.apply(.found(Self.contents("x", tenantID: "t"), in: Self.own))
        #expect(state.tenant.id == "t")
        _ = state.apply(.signedOut(of: SlotInUse(.own), Self.contents()))
        #expect(state.tenant.id == "t")
        _ = state.apply(.signedIn(Self.user("y"), Self.stored("y", revision: 3)))
        #expect(state.tenant.id == nil)
        _ = state.apply(.choseTenant("u"))
        _ = state.apply(.signedIn(Self.user("z"), Self.stored("z", revision: 4)))
        #expect(state.tenant.id == "u")
    }

    @Test("Once presented, each event ends with the state and accounts after it")
    func presented() {
        var state = SessionState { User($0, auth: nil, slot: $1) }
        let table: [(SessionState.Event, shown: String?)] = [
            (.readChoice(SlotInUse(Self.own)), nil),
            (.presented, "unknown in own; accounts:"),
            (.found(Self.contents("x"), in: Self.own), "x in own; accounts: x"),
            (.choseTenant(nil), "x in own; accounts: x"),
            (.signedIn(Self.user("y"), Self.stored("y", revision: 2)), "y in own; accounts: y"),
            // The accounts of a slot that is not in use are not shown.
            (.found(Self.contents("z"), in: Self.group), "y in own; accounts: y"),
            (.signedOut(of: SlotInUse(Self.own), Self.contents()), "no user in own; accounts:"),
            (.found(Self.contents("x", revision: 4), in: Self.own), "x in own; accounts: x"),
            (.failed(AuthError(.appDeleted, "deleted")), "unavailable in own; accounts:"),
        ]
        for (event, shown) in table {
            let effects = state.apply(event).map(Self.words)
            #expect(effects.last { $0.hasPrefix("present ") } == shown.map { "present \($0)" })
            if shown != nil { #expect(effects.last?.hasPrefix("present ") == true) }
        }
    }

    @Test("Contents without an account, or with another as current, do not count as stored", arguments: [nil, "y"])
    func notStored(current: String?) {
        let found = ChangedSlot(used: SlotInUse(Self.own), contents: Self.contents(current))
        expectFailure(.conflict) { try StoredAccount("x", in: found) }
    }

    // MARK: Words

    static func user(_ uid: String) -> User {
        User(Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, "1"), project: "p"), auth: nil, slot: nil)
    }

    static func contents(
        _ uid: String? = nil,
        token: String = "1",
        revision: UInt64 = 1,
        tenantID: String? = nil,
        in collection: CollectionMark? = nil
    ) -> SlotContents {
        guard let uid else { return SlotContents() }
        let account = Account(
            profile: UserProfile(uid: uid, tenantID: tenantID),
            tokens: .scripted(uid, token, from: Date(timeIntervalSince1970: 1_700_000_000)),
            project: "p"
        )
        return SlotContents(
            record: UserRecord().signingIn(account).written(at: .init(collection: collection)),
            revision: Revision(counter: revision, nonce: revision)
        )
    }

    static func stored(_ uid: String, revision: UInt64, in slot: Slot = own) -> StoredAccount {
        do throws(AuthError) {
            let changed = ChangedSlot(used: SlotInUse(slot), contents: contents(uid, revision: revision))
            return try StoredAccount(AccountID(uid: uid, issuer: nil), in: changed)
        } catch {
            fatalError("\(error)")
        }
    }

    private static func words(_ effect: SessionState.Effect) -> String {
        switch effect {
        case .watch(let slot): "watch \(slot.map { $0.groupName ?? "own" } ?? "nothing")"
        case .readLater: "read later"
        case .unsettle: "unsettle"
        case .update(let user, _, _): "update \(user.uid)"
        case .announce(let user): "announce \(user?.uid ?? "no user")"
        case .settle(let user): "settle \(user?.uid ?? "no user")"
        case .keepFresh(let user): "keep fresh \(user?.uid ?? "no user")"
        case .noteKeeper(let note, let slot, _): "\(note) \(slot.groupName ?? "own")"
        case .tellSaveFailure(let error): "tell \(error?.code.name ?? "nothing")"
        case .present(let state):
            (["present \(words(state)); accounts:"] + state.accounts.map(\.uid)).joined(separator: " ")
        }
    }

    private static func words(_ state: SessionState) -> String {
        let slot = state.slot.map { $0.groupName ?? "own" } ?? "no slot"
        return switch state.answer {
        case .unknown: "unknown in \(slot)"
        case .signedIn(let user): "\(user.uid) in \(slot)"
        case .signedOut: "no user in \(slot)"
        case .locked: "locked in \(slot)"
        case .unavailable: "unavailable in \(slot)"
        case .damaged: "damaged in \(slot)"
        }
    }
}
