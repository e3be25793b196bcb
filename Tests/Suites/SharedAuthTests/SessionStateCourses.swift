import TestSupport

@testable import SharedAuth
@testable import SharedAuthRecords

/// More rows of the table of `SessionState`.
extension SessionStateTests {
    /// The slot that is watched, and the failures that no signal ends.
    static let watching: [Row] = [
        Row(
            name: "23, the choice is read",
            before: [],
            event: .readChoice(SlotInUse(own)),
            effects: ["watch own"],
            after: "unknown in own"
        ),
        Row(
            name: "24, the choice cannot be read",
            before: [],
            event: .failed(AuthError(.stateDirectoryUnusable, "unreadable")),
            effects: ["read later"],
            after: "unavailable in no slot"
        ),
        Row(
            name: "25, a choice that could not be read is read",
            before: [.failed(AuthError(.stateDirectoryUnusable, "unreadable"))],
            event: .readChoice(SlotInUse(group)),
            effects: ["watch group.example.a"],
            after: "unavailable in group.example.a"
        ),
        Row(
            name: "26, the user was migrated to a group that the app does not declare",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .failed(AuthError(.accessGroupNotDeclared, "not declared"), in: SlotInUse(group)),
            effects: ["watch nothing", "keep fresh no user", "unsettle", "read later"],
            after: "unavailable in group.example.a"
        ),
        Row(
            name: "27, the user was migrated on to a slot that the app may use",
            before: [
                .readChoice(SlotInUse(own)), .found(contents("x"), in: own),
                .failed(AuthError(.accessGroupNotDeclared, "not declared"), in: SlotInUse(group)),
            ],
            event: .followed(to: SlotInUse(own), contents("x", revision: 3)),
            effects: ["watch own", "update x", "keep fresh x", "settle x", "add own"],
            after: "x in own"
        ),
        Row(
            name: "28, the user was migrated to a slot that does not respond",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .failed(AuthError(.timedOut, "late"), in: SlotInUse(group)),
            effects: ["watch group.example.a", "keep fresh no user", "unsettle", "read later"],
            after: "unavailable in group.example.a"
        ),
        Row(
            name: "29, a user whose slot was another one signs in",
            before: [.readChoice(SlotInUse(own)), .found(contents(), in: own)],
            event: .signedIn(user("x"), stored("x", revision: 2, in: group)),
            effects: ["watch group.example.a", "update x", "keep fresh x", "announce x", "add group.example.a"],
            after: "x in group.example.a"
        ),
        Row(
            name: "30, a user who cannot be stored because the choice cannot be read",
            before: [.failed(AuthError(.stateDirectoryUnusable, "unreadable"))],
            event: .signedInUnsaved(user("x")),
            effects: ["keep fresh x", "announce x"],
            after: "x in no slot"
        ),
    ]

    /// Users of a tenant other than the one that the app has set.
    static let tenants: [Row] = [
        Row(
            name: "31, a peer refreshes the token of a user who was current before the app set the tenant",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own), .choseTenant("t")],
            event: .found(contents("x", token: "2", revision: 2), in: own),
            effects: ["update x", "keep fresh x", "announce x"],
            after: "x in own"
        ),
        Row(
            name: "32, such a user is found again after a failure",
            before: [
                .readChoice(SlotInUse(own)), .found(contents("x"), in: own), .choseTenant("t"),
                .failed(AuthError(.timedOut, "late")),
            ],
            event: .found(contents("x", revision: 2), in: own),
            effects: ["update x", "keep fresh x", "settle x", "add own"],
            after: "x in own"
        ),
        Row(
            name: "33, such a user is migrated",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own), .choseTenant("t")],
            event: .followed(to: SlotInUse(group), contents("x", revision: 2)),
            effects: ["watch group.example.a", "update x", "keep fresh x", "settle x", "add group.example.a"],
            after: "x in group.example.a"
        ),
        Row(
            name: "34, a peer signs a user of another tenant in",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own), .choseTenant("t")],
            event: .found(contents("y", revision: 2), in: own),
            effects: ["keep fresh no user", "announce no user", "add own"],
            after: "no user in own"
        ),
        Row(
            name: "35, the app makes the user who was not shown current",
            before: [
                .readChoice(SlotInUse(own)), .choseTenant("t"), .found(contents("x"), in: own), .choseTenant(nil),
            ],
            event: .selected(contents("x"), in: own),
            effects: ["update x", "keep fresh x", "announce x", "add own"],
            after: "x in own"
        ),
        Row(
            name: "36, the app makes the user current who already is",
            before: [.readChoice(SlotInUse(own)), .found(contents("x"), in: own)],
            event: .selected(contents("x"), in: own),
            effects: [],
            after: "x in own"
        ),
        Row(
            name: "37, a record that named its collection no longer names one",
            before: [.readChoice(SlotInUse(own)), .found(contents("x", in: CollectionMark(1)), in: own)],
            event: .found(contents("x", revision: 2), in: own),
            effects: ["update x", "keep fresh x", "settle x", "add own"],
            after: "x in own"
        ),
        Row(
            name: "38, a record names its collection again",
            before: [.readChoice(SlotInUse(own)), .found(contents("x", in: CollectionMark(1)), in: own)],
            event: .found(contents("x", revision: 2, in: CollectionMark(1)), in: own),
            effects: ["update x", "keep fresh x", "settle x"],
            after: "x in own"
        ),
    ]
}
