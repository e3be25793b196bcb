import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// The exchange of tokens as a table: each row is a course of events, and the effects after each.
struct TokenExchangeTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)
    private static let rules = TokenRules(now: { now })
    private static let (slot, target) = (Slot.own, Slot.group("group.example.a"))

    /// Tokens of this name, which are valid for an hour, or have expired.
    private static func tokens(_ name: String, isValid: Bool = true, canRefresh: Bool = true) -> UserTokens {
        UserTokens(
            idToken: "x/id/\(name)",
            refreshToken: canRefresh ? "x/refresh/\(name)" : nil,
            expirationDate: now.addingTimeInterval(isValid ? 3600 : -1),
            issueDate: now.addingTimeInterval(-7200)
        )
    }

    private static let (a, b, c) = (tokens("a"), tokens("b"), tokens("c"))
    private static let stale = tokens("b", isValid: false)
    private static let fatal = AuthError(.userTokenExpired, "The test ends the session.")
    private static let mild = AuthError(.networkError, "The test has no network.")

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var exchange: TokenExchange
        let steps: [(event: TokenExchange.Event, effects: String)]

        init(
            _ name: String,
            _ call: TokenExchange.Call,
            in slot: Slot? = TokenExchangeTests.slot,
            with tokens: UserTokens = TokenExchangeTests.a,
            endsSession: Bool = true,
            _ steps: [(event: TokenExchange.Event, effects: String)]
        ) {
            testDescription = name
            exchange = TokenExchange(
                call,
                of: "x",
                in: slot,
                with: tokens,
                endsSession: endsSession,
                TokenExchangeTests.rules
            )
            self.steps = steps
        }
    }

    static let refreshes = [
        Row(
            "a refresh",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: nil), "keep b over a, save made"),
                (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "a refresh of a user in no slot",
            .refresh(scopes: nil),
            in: nil,
            [
                (.looked(.nowhere), "ask a"), (.answered(b, refusal: nil), "keep b over a, save made"),
                (.saved(b, isStored: false), "end b"),
            ]
        ),
        Row("no turn", .refresh(scopes: nil), [(.lookFailed(mild), "end networkError")]),
        Row("a peer has refreshed", .refresh(scopes: nil), [(.looked(.here(b)), "end b")]),
        Row(
            "a peer's tokens have expired, too",
            .refresh(scopes: nil),
            [
                (.looked(.here(stale)), "ask b"), (.answered(c, refusal: nil), "keep c over b, save made"),
                (.saved(c, isStored: true), "end c"),
            ]
        ),
        Row(
            "the user was moved",
            .refresh(scopes: nil),
            [
                (.looked(.elsewhere(target)), "end turn, take turn in access group group.example.a"),
                (.looked(.here(a)), "ask a"),
            ]
        ),
        Row(
            "the user is moved again and again",
            .refresh(scopes: nil),
            [
                (.looked(.elsewhere(target)), "end turn, take turn in access group group.example.a"),
                (.looked(.elsewhere(slot)), "end turn, take turn in the app's own slot"),
                (.looked(.elsewhere(target)), "end conflict"),
            ]
        ),
        Row(
            "without a network",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(mild), "end networkError"),
            ]
        ),
        Row(
            "a refusal",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.here(a)), "reject a"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a refusal after a sign-out",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.nowhere), "reject a"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a refusal, and the keyring is locked",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.lookFailed(mild), "reject a"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a refusal, and a peer has brought a valid token",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.here(b)), "end b"),
            ]
        ),
        Row(
            "a refusal, and a peer has brought one that has expired",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.here(stale)), "ask b"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.here(stale)), "reject b"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a refusal, and the user was moved",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "look in the app's own slot"),
                (.looked(.elsewhere(target)), "end turn, take turn in access group group.example.a"),
                (.looked(.here(b)), "end b"),
            ]
        ),
        Row(
            "a refusal of a user in no slot",
            .refresh(scopes: nil),
            in: nil,
            [
                (.looked(.nowhere), "ask a"), (.refused(fatal), "end userTokenExpired"),
            ]
        ),
        Row(
            "nothing to refresh with",
            .refresh(scopes: nil),
            with: tokens("a", canRefresh: false),
            [
                (.looked(.here(tokens("a", canRefresh: false))), "end operationNotAllowed")
            ]
        ),
        Row(
            "nothing to refresh with, after the expiry",
            .refresh(scopes: nil),
            with: tokens("a", isValid: false, canRefresh: false),
            [
                (.looked(.here(tokens("a", isValid: false, canRefresh: false))), "look in the app's own slot"),
                (.looked(.here(tokens("a", isValid: false, canRefresh: false))), "reject a"),
                (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a save that fails",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: nil), "keep b over a, save made"),
                (.saveFailed(mild), "end networkError"),
            ]
        ),
        Row(
            "a sign-out meanwhile",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: nil), "keep b over a, save made"),
                (.saved(b, isStored: false), "revoke b, end b"),
            ]
        ),
        Row(
            "an answer after the time",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.late(b), "keep b over a, save"), (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "an answer after the time and a sign-out",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.late(b), "keep b over a, save"),
                (.saved(b, isStored: false), "revoke b, end b"),
            ]
        ),
        Row(
            "part of the answer is refused, and the wanted token came",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: mild), "keep b over a, save"),
                (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "part of the answer is refused, and the wanted token did not come",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: mild), "keep b over a, save"),
                (.saved(b, isStored: true), "end networkError"),
            ]
        ),
    ]

    static let changes = [
        Row(
            "a change",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.answered(nil, refusal: nil), "save made"),
                (.saved(a, isStored: true), "end a"),
            ]
        ),
        Row(
            "a change that gives tokens",
            .change,
            [
                (.looked(.here(b)), "ask b"), (.answered(c, refusal: nil), "keep c over b, save made"),
                (.saved(c, isStored: true), "end c"),
            ]
        ),
        Row("a change where the slot's tokens have expired", .change, [(.looked(.here(stale)), "ask a")]),
        Row(
            "a repeated sign-in takes the slot's tokens",
            .renewal,
            endsSession: false,
            [
                (.looked(.here(stale)), "ask b"), (.refused(fatal), "end userTokenExpired"),
            ]
        ),
        Row(
            "a change of a user who was moved",
            .change,
            [
                (.looked(.elsewhere(target)), "end turn, take turn in access group group.example.a"),
                (.looked(.here(a)), "ask a"),
            ]
        ),
        Row(
            "a change that is refused",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.refused(mild), "end networkError"),
            ]
        ),
        Row(
            "a change that ends the session",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "reject a"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a change that is refused in part",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: mild), "keep b over a, save"),
                (.saved(b, isStored: true), "end networkError"),
            ]
        ),
        Row(
            "a change that is refused in part and ends the session",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: fatal), "keep b over a, save"),
                (.saveFailed(mild), "reject b"), (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a change of a user who signs out meanwhile",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: nil), "keep b over a, save made"),
                (.saved(b, isStored: false), "revoke b, end b"),
            ]
        ),
        Row(
            "a change that cannot be saved",
            .change,
            [
                (.looked(.here(a)), "ask a"), (.answered(nil, refusal: nil), "save made"),
                (.saveFailed(mild), "end networkError"),
            ]
        ),
    ]

    static let requests = [
        Row("a request", .request, [(.answered(nil, refusal: nil), "end a")]),
        Row("a request that is refused", .request, [(.refused(mild), "end networkError")]),
        Row("a request of a user in no slot", .request, in: nil, [(.refused(fatal), "end userTokenExpired")]),
        Row(
            "a request that is overtaken is made once more",
            .request,
            [
                (.refused(fatal), "take turn in the app's own slot"), (.looked(.here(b)), "end turn, ask b"),
                (.refused(fatal), "take turn in the app's own slot"), (.looked(.here(c)), "reject b"),
                (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a request that ends the session",
            .request,
            [
                (.refused(fatal), "take turn in the app's own slot"), (.looked(.here(a)), "reject a"),
                (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "a request that may not end the session",
            .request,
            endsSession: false,
            [
                (.refused(fatal), "take turn in the app's own slot"), (.looked(.here(a)), "end userTokenExpired"),
            ]
        ),
        Row(
            "without the turn, a request ends no session",
            .request,
            [
                (.refused(fatal), "take turn in the app's own slot"), (.lookFailed(mild), "end userTokenExpired"),
            ]
        ),
        Row(
            "a request of a user who was moved",
            .request,
            [
                (.refused(fatal), "take turn in the app's own slot"),
                (.looked(.elsewhere(target)), "end turn, take turn in access group group.example.a"),
                (.looked(.here(b)), "end turn, ask b"),
            ]
        ),
    ]

    @Test("An exchange takes its course", arguments: refreshes + changes + requests)
    func course(_ row: Row) {
        var exchange = row.exchange
        let beginning = row.exchange.isInTurn ? "take turn in \(row.exchange.slot?.description ?? "no slot")" : "ask a"
        #expect(words(exchange.beginning) == beginning)
        for (event, effects) in row.steps { #expect(words(exchange.handle(event)) == effects, "after \(event)") }
        // What comes after the end changes nothing.
        if row.steps.last?.effects.contains("end ") == true, row.steps.last?.effects.contains("ask") == false {
            #expect(exchange.handle(.refused(Self.fatal)).isEmpty || row.steps.last?.effects.contains("take") == true)
        }
    }

    @Test("New tokens continue the lineage of those that they were got with", arguments: [true, false])
    func lineage(isRefresh: Bool) throws {
        let used = Self.a.beginningLineage()
        let call: TokenExchange.Call = isRefresh ? .refresh(scopes: nil) : .change
        var exchange = TokenExchange(call, of: "x", in: Self.slot, with: used, Self.rules)
        _ = exchange.handle(.looked(.here(used)))
        guard case .keep(let new, _)? = exchange.handle(.answered(Self.b, refusal: nil)).first else {
            Issue.record("Nothing is kept.")
            return
        }
        #expect(new.lineage == used.lineage?.next)
        #expect(new.isNewer(than: used))
    }

    private func words(_ effects: [TokenExchange.Effect]) -> String {
        func name(_ tokens: UserTokens) -> String {
            String(tokens.idToken?.split(separator: "/").last ?? "-")
        }
        return effects.map { effect in
            switch effect {
            case .takeTurn(let slot): "take turn in \(slot?.description ?? "no slot")"
            case .look(let slot): "look in \(slot.description)"
            case .endTurn: "end turn"
            case .ask(let tokens): "ask \(name(tokens))"
            case .keep(let tokens, let used): "keep \(name(tokens)) over \(name(used))"
            case .save(let isMade): isMade ? "save made" : "save"
            case .reject(let tokens): "reject \(name(tokens))"
            case .revoke(let tokens): "revoke \(name(tokens))"
            case .end(.success(let tokens)): "end \(name(tokens))"
            case .end(.failure(let error)): "end \(error.code.name)"
            }
        }.joined(separator: ", ")
    }
}
