import TestSupport

@testable import SharedAuth

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
            event: .signedIn(user("x"), in: SlotInUse(group), contents("x", revision: 2)),
            effects: ["watch group.example.a", "update x", "keep fresh x", "announce x", "add group.example.a"],
            after: "x in group.example.a"
        ),
    ]
}
