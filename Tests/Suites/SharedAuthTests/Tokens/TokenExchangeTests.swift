import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Tests token exchanges as a table: each row is a sequence of events, with the effects of each.
struct TokenExchangeTests {
    static let now = Date(timeIntervalSince1970: 1_000_000)
    static let rules = TokenRules(now: { now })
    static let (slot, target) = (Slot.own, Slot.group("group.example.a"))

    /// Returns tokens with this name, which are valid for an hour or expired.
    static func tokens(_ name: String, isValid: Bool = true, canRefresh: Bool = true) -> UserTokens {
        UserTokens(
            idToken: "x/id/\(name)",
            refreshToken: canRefresh ? "x/refresh/\(name)" : nil,
            expirationDate: now.addingTimeInterval(isValid ? 3600 : -1),
            issueDate: now.addingTimeInterval(-7200)
        )
    }

    static let (a, b, c) = (tokens("a"), tokens("b"), tokens("c"))
    static let stale = tokens("b", isValid: false)
    static let fatal = AuthError(.userTokenExpired, "The test ends the session.")
    static let mild = AuthError(.networkError, "The test has no network.")
    static let lasting = AuthError(.requiresRecentLogin, "The test refuses a refresh.")

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

    @Test("Each event of an exchange has its effects", arguments: refreshes + changes + requests + refusals)
    func course(_ row: Row) {
        var exchange = row.exchange
        let beginning = row.exchange.isInTurn ? "take turn in \(row.exchange.slot?.description ?? "no slot")" : "ask a"
        #expect(words(exchange.beginning) == beginning)
        for (event, effects) in row.steps { #expect(words(exchange.handle(event)) == effects, "after \(event)") }
        // Events after the end change nothing.
        if row.steps.last?.effects.contains("end ") == true, row.steps.last?.effects.contains("ask") == false {
            #expect(exchange.handle(.refused(Self.fatal)).isEmpty || row.steps.last?.effects.contains("take") == true)
        }
    }

    @Test("New tokens continue the lineage of the tokens used to get them", arguments: [true, false])
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

    @Test("New tokens of an ended session are revoked if the account signed in again", arguments: [true, false])
    func signedInAgain(hasSignedInAgain: Bool) {
        let used = Self.a.beginningLineage()
        var exchange = TokenExchange(.refresh(scopes: nil), of: "x", in: Self.slot, with: used, Self.rules)
        _ = exchange.handle(.looked(.here(used)))
        _ = exchange.handle(.answered(Self.b, refusal: nil))
        let saved = hasSignedInAgain ? Self.c.beginningLineage() : Self.b.succeeding(used)
        let effects = words(exchange.handle(.saved(saved, isStored: true)))
        #expect(effects == (hasSignedInAgain ? "revoke b, end c" : "end b"))
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
            case .confirm(let tokens): "confirm \(name(tokens))"
            case .keep(let tokens, let used):
                "keep \(name(tokens)) over \(name(used))"
                    + tokens.refusals.map { " noting \($0.subject.word)" }.joined()
            case .save(let isMade): isMade ? "save made" : "save"
            case .reject(let tokens): "reject \(name(tokens))"
            case .revoke(let tokens): "revoke \(name(tokens))"
            case .end(.success(let tokens)): "end \(name(tokens))"
            case .end(.failure(let error)): "end \(error.code.name)"
            }
        }.joined(separator: ", ")
    }
}

extension RefusedRefresh.Subject {
    /// The subject in one word.
    var word: String {
        switch self {
        case .session: "session"
        case .idToken: "id"
        case .accessToken(let scopes): scopes.isEmpty ? "access" : scopes.sorted().joined(separator: "+")
        }
    }
}
