import FoundationEssentials
import TestSupport

@testable import SharedAuth

/// The rows of the exchange table: events, and the effects of each.
extension TokenExchangeTests {
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
            "the user is moved repeatedly",
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
            "a refusal, and a peer has brought an expired token",
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
            "a response after the deadline",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.late(b), "keep b over a, save"), (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "a response after the deadline and a sign-out",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.late(b), "keep b over a, save"),
                (.saved(b, isStored: false), "revoke b, end b"),
            ]
        ),
        Row(
            "part of the response is refused, and the requested token arrived",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: mild), "keep b over a, save"),
                (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "part of the response is refused, and the requested token did not arrive",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.answered(b, refusal: mild), "keep b over a noting mail, save"),
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
            "a change that returns tokens",
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
            "a request with outdated tokens is made once more",
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
}
