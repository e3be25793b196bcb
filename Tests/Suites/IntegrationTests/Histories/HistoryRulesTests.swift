import SharedAuth
import TestSupport
import Testing

/// Tests that the rules of histories accept what a call may do to the slots, and nothing else.
struct HistoryRulesTests {
    typealias Update = (slot: String, before: String?, after: String?)

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isAllowed: Bool
        let acts: [HistoryAct]
        var end: [String: String?] = [:]
    }

    static func act(
        of process: Int = 0,
        isObserving: Bool = false,
        _ call: HistoryAct.Call,
        from before: HistoryAct.View,
        to after: HistoryAct.View? = nil,
        error: Int? = nil,
        exchanges: [HistoryAct.Exchange] = [],
        at time: UInt64 = 10,
        _ updates: Update...
    ) -> HistoryAct {
        HistoryAct(
            process: process,
            ownSlot: "own",
            isObserving: isObserving,
            call,
            before: before,
            after: after ?? before,
            error: error,
            exchanges: exchanges,
            updates: updates.enumerated().map { place, update in
                let began = time + UInt64(place)
                return .init(update.slot, from: update.before, to: update.after, began: began, ended: began)
            },
            began: time,
            ended: time + 9
        )
    }

    static let x = HistoryAct.View(slot: "own", user: "x/1")
    static let nobody = HistoryAct.View(slot: "own")

    /// Returns a refresh of the first tokens that writes the second ones over these.
    static func refresh(over former: String) -> HistoryAct {
        let exchange = HistoryAct.Exchange(used: "x/1", issued: "x/2")
        return act(
            .refresh,
            from: x,
            to: .init(slot: "own", user: "x/2"),
            exchanges: [exchange],
            ("own", former, "x/2")
        )
    }

    /// Returns the first act of a process that has updated a slot at its start.
    static func started(with update: Update, during time: UInt64) -> HistoryAct {
        var act = act(of: 1, .rest, from: x, at: time, update)
        act.began = act.ended
        return act
    }

    /// Returns a migration that copies a user, whom another app refreshes there, and writes the source before it fails.
    ///
    /// - Parameter former: the user there before.
    static func takenBack(saving token: String, over former: String? = nil) -> [HistoryAct] {
        [
            act(.migrate(slot: "g", .fail), from: x, error: 19010, ("g", former, "x/1"), ("own", "x/1", token)),
            act(
                of: 1,
                .refresh,
                from: .init(slot: "g", user: "x/1"),
                to: .init(slot: "g", user: "x/2"),
                exchanges: [.init(used: "x/1", issued: "x/2")],
                ("g", "x/1", "x/2")
            ),
        ]
    }

    /// Returns a migration into a group, without replacing anybody, that makes two changes.
    static func migration(_ first: Update, _ second: Update) -> HistoryAct {
        act(.migrate(slot: "g", .fail), from: x, to: .init(slot: "g", user: "x/1"), first, second)
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a sign-in replaces the current user",
            isAllowed: true,
            acts: [act(.signIn(token: "y/1"), from: x, to: .init(slot: "own", user: "y/1"), ("own", "x/1", "y/1"))]
        ),
        Case(
            testDescription: "a sign-in that stores nobody",
            isAllowed: false,
            acts: [act(.signIn(token: "y/1"), from: x, to: .init(slot: "own", user: "y/1"))]
        ),
        Case(
            testDescription: "a refused sign-in that stores the user",
            isAllowed: false,
            acts: [act(.signIn(token: "y/1"), from: x, error: 17072, ("own", "x/1", "y/1"))]
        ),
        Case(
            testDescription: "a switch is given up while others of the app change its choice",
            isAllowed: true,
            acts: [
                act(.use(slot: "g"), from: x, error: 19010),
                act(of: 1, .use(slot: "h"), from: nobody, to: .init(slot: "h"), at: 12),
                act(of: 2, .use(slot: "g"), from: nobody, to: .init(slot: "g"), at: 14),
            ]
        ),
        Case(
            testDescription: "a switch is given up after others have changed the choice",
            isAllowed: false,
            acts: [
                act(of: 1, .use(slot: "h"), from: nobody, to: .init(slot: "h"), at: 0),
                act(of: 2, .use(slot: "g"), from: nobody, to: .init(slot: "g"), at: 0),
                act(.use(slot: "g"), from: x, error: 19010),
            ]
        ),
        Case(
            testDescription: "a sign-out removes the user shown, with newer tokens",
            isAllowed: true,
            acts: [act(.signOut, from: x, to: nobody, ("own", "x/2", nil))]
        ),
        Case(
            testDescription: "a sign-out removes the same uid of another issuer",
            isAllowed: false,
            acts: [act(.signOut, from: x, to: nobody, ("own", "x/2@i", nil))]
        ),
        Case(
            testDescription: "a read removes somebody",
            isAllowed: false,
            acts: [act(.read(slot: "own", token: nil), from: x, ("own", "x/1", nil))]
        ),
        Case(
            testDescription: "a refresh saves what it got over what it used",
            isAllowed: true,
            acts: [refresh(over: "x/1")]
        ),
        Case(
            testDescription: "a refresh overwrites the next sign-in of its user",
            isAllowed: false,
            acts: [refresh(over: "x/9")]
        ),
        Case(
            testDescription: "a token is used twice",
            isAllowed: false,
            acts: [act(.refresh, from: x, exchanges: [.init(used: "x/1", issued: nil)])]
        ),
        Case(
            testDescription: "a token of a user whom a migration has replaced is used twice",
            isAllowed: true,
            acts: [
                act(
                    .migrate(slot: "g", .replace),
                    from: x,
                    to: .init(slot: "g", user: "x/1"),
                    ("g", "y/1", "x/1"),
                    ("own", "x/1", nil)
                ),
                act(
                    .refresh,
                    from: .init(slot: "g", user: "y/1"),
                    exchanges: [.init(used: "y/1", issued: nil)],
                    at: 30
                ),
            ],
            end: ["g": "x/1"]
        ),
        Case(
            testDescription: "a switch leaves the user of the own slot behind",
            isAllowed: true,
            acts: [act(.use(slot: "g"), from: x, to: .init(slot: "g"), ("own", "x/1", nil))]
        ),
        Case(
            testDescription: "a switch removes a user of the group",
            isAllowed: false,
            acts: [act(.use(slot: "g"), from: x, to: .init(slot: "g"), ("g", "x/1", nil))]
        ),
        Case(
            testDescription: "a migration copies, then deletes",
            isAllowed: true,
            acts: [migration(("g", nil, "x/1"), ("own", "x/1", nil))]
        ),
        Case(
            testDescription: "a migration deletes, then copies",
            isAllowed: false,
            acts: [migration(("own", "x/1", nil), ("g", nil, "x/1"))]
        ),
        Case(
            testDescription: "a migration takes its copy back",
            isAllowed: true,
            acts: [
                act(
                    .migrate(slot: "g", .fail),
                    from: x,
                    error: 19010,
                    ("g", nil, "x/1"),
                    ("g", "x/1", nil)
                )
            ]
        ),
        Case(
            testDescription: "a migration that is taken back saves the tokens that the copy got meanwhile",
            isAllowed: true,
            acts: takenBack(saving: "x/2")
        ),
        Case(
            testDescription: "a migration that is taken back saves the tokens of a session that was there already",
            isAllowed: true,
            acts: takenBack(saving: "x/2", over: "x/1")
        ),
        Case(
            testDescription: "a migration that is taken back puts another session into the source",
            isAllowed: false,
            acts: takenBack(saving: "x/3")
        ),
        Case(
            testDescription: "a migration replaces a user although it may not",
            isAllowed: false,
            acts: [migration(("g", "y/1", "x/1"), ("own", "x/1", nil))]
        ),
        Case(
            testDescription: "another process of the app carries a migration out",
            isAllowed: true,
            acts: [
                act(.migrate(slot: "g", .fail), from: x, error: 19009, ("g", nil, "x/1")),
                act(of: 1, isObserving: true, .rest, from: x, at: 15, ("g", "x/1", "x/2")),
            ]
        ),
        Case(
            testDescription: "a process of the app that starts carries a migration out",
            isAllowed: true,
            acts: [
                act(.migrate(slot: "g", .fail), from: x, error: 19009, ("g", nil, "x/1")),
                started(with: ("g", "x/1", "x/2"), during: 15),
            ]
        ),
        Case(
            testDescription: "another process of the app brings somebody else to the target of a migration",
            isAllowed: false,
            acts: [
                act(.migrate(slot: "g", .fail), from: x, error: 19009, ("g", nil, "x/1")),
                act(of: 1, isObserving: true, .rest, from: x, at: 15, ("g", "x/1", "x/1 z/1")),
            ]
        ),
        Case(
            testDescription: "another process of the app changes the copy of a migration that is over",
            isAllowed: false,
            acts: [
                act(.migrate(slot: "g", .fail), from: x, error: 19009, ("g", nil, "x/1")),
                act(of: 1, isObserving: true, .rest, from: x, at: 20, ("g", "x/1", "x/2")),
            ]
        ),
        Case(
            testDescription: "a user of another tenant becomes current",
            isAllowed: false,
            acts: [
                act(
                    .use(slot: "g"),
                    from: .init(slot: "own", tenant: "t", isTenantChosen: true),
                    to: .init(slot: "g", user: "x/1", tenant: "t", isTenantChosen: true)
                )
            ]
        ),
        Case(
            testDescription: "a process leaves its slot although nobody migrated its user",
            isAllowed: false,
            acts: [act(.signOut, from: x, to: .init(slot: "g"))]
        ),
        Case(
            testDescription: "a session in two slots",
            isAllowed: false,
            acts: [],
            end: ["own": "x/1", "g": "x/1"]
        ),
        Case(
            testDescription: "a session that has signed out lives on",
            isAllowed: false,
            acts: [act(.signOut, from: x, to: nobody, ("own", "x/1", nil))],
            end: ["g": "x/1"]
        ),
    ]

    @Test("The rules judge each history correctly", arguments: cases)
    func judges(_ one: Case) {
        #expect(HistoryRules.violations(in: one.acts, end: one.end).isEmpty == one.isAllowed)
    }
}
