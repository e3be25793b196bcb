import FoundationEssentials
import TestSupport

@testable import SharedAuth

/// The rows of the exchange table about refusals that do not pass by themselves.
extension TokenExchangeTests {
    /// Tokens with a note of a refresh that was refused so many seconds ago.
    private static func refused(
        _ name: String,
        _ subject: RefusedRefresh.Subject,
        _ seconds: TimeInterval,
        isValid: Bool = false,
        _ error: AuthError? = lasting
    ) -> UserTokens {
        let tokens = tokens(name, isValid: isValid)
        let date = now.addingTimeInterval(-seconds)
        return tokens.noting(RefusedRefresh(of: subject, at: date, tokens, isAfterExpiry: !isValid, error))
    }

    private static let expired = tokens("a", isValid: false)

    static let refusals = [
        Row(
            "a refusal that lasts is noted, and the present token is used while it lasts",
            .refresh(scopes: nil),
            with: tokens("a", isValid: false),
            [
                (.looked(.here(expired)), "ask a"), (.refused(lasting), "keep a over a noting session, save"),
                (.saved(expired, isStored: true), "end requiresRecentLogin"),
            ]
        ),
        Row(
            "a refusal that lasts, of a forced refresh",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(lasting), "keep a over a noting session, save"),
                (.saved(a, isStored: true), "end requiresRecentLogin"),
            ]
        ),
        Row(
            "a refusal that cannot be noted is told nevertheless",
            .refresh(scopes: nil),
            [
                (.looked(.here(a)), "ask a"), (.refused(lasting), "keep a over a noting session, save"),
                (.saveFailed(mild), "end requiresRecentLogin"),
            ]
        ),
        Row(
            "a peer was refused within the last minute",
            .refresh(scopes: nil),
            with: expired,
            [(.looked(.here(refused("a", .session, 59))), "end requiresRecentLogin")]
        ),
        Row(
            "a peer was refused a minute ago",
            .refresh(scopes: nil),
            with: expired,
            [(.looked(.here(refused("a", .session, 60))), "ask a")]
        ),
        Row(
            "a peer was refused by a clock that was ahead",
            .refresh(scopes: nil),
            with: expired,
            [(.looked(.here(refused("a", .session, -60))), "ask a")]
        ),
        Row(
            "the refusal of a session concerns every refresh",
            .refresh(scopes: ["mail"]),
            with: expired,
            [(.looked(.here(refused("a", .session, 1))), "end requiresRecentLogin")]
        ),
        Row(
            "the refusal of some scopes concerns these",
            .refresh(scopes: ["mail"]),
            [(.looked(.here(refused("a", .accessToken(scopes: ["mail"]), 1))), "end requiresRecentLogin")]
        ),
        Row(
            "the refusal of some scopes does not concern others",
            .refresh(scopes: ["files"]),
            [(.looked(.here(refused("a", .accessToken(scopes: ["mail"]), 1))), "ask a")]
        ),
        Row(
            "the refusal of an ID token does not concern access tokens",
            .refresh(scopes: []),
            [(.looked(.here(refused("a", .idToken, 1))), "ask a")]
        ),
        Row(
            "an ID token that did not come is not asked for within a minute",
            .refresh(scopes: nil),
            with: expired,
            [(.looked(.here(refused("a", .idToken, 0.5, nil))), "end a")]
        ),
        Row(
            "an ID token that did not come is asked for when the present one has expired",
            .refresh(scopes: nil),
            with: expired,
            [(.looked(.here(refused("a", .idToken, 2, nil))), "ask a")]
        ),
        Row(
            "an end that is said about some scopes is confirmed, and was none",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "confirm a"),
                (.answered(b, refusal: nil), "keep b over a noting mail, save"),
                (.saved(b, isStored: true), "end operationNotAllowed"),
            ]
        ),
        Row(
            "an end that is said about the same scopes again is not confirmed again",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(refused("a", .accessToken(scopes: ["mail"]), 61, isValid: true))), "ask a"),
                (.refused(fatal), "keep a over a noting mail, save"),
                (.saved(a, isStored: true), "end operationNotAllowed"),
            ]
        ),
        Row(
            "an end that is said about some scopes is confirmed",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "confirm a"),
                (.refused(fatal), "look in the app's own slot"), (.looked(.here(a)), "reject a"),
                (.rejected, "end userTokenExpired"),
            ]
        ),
        Row(
            "an end that is said about some scopes cannot be confirmed",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "confirm a"), (.refused(mild), "end networkError"),
            ]
        ),
        Row(
            "the confirmation arrives after the deadline",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.refused(fatal), "confirm a"),
                (.late(b), "keep b over a noting mail, save"),
                (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "refused scopes concern the session only if its tokens have expired",
            .refresh(scopes: ["mail"]),
            [
                (.looked(.here(a)), "ask a"), (.refused(lasting), "keep a over a noting mail, save"),
                (.saved(a, isStored: true), "end requiresRecentLogin"),
            ]
        ),
        Row(
            "refused scopes of a session whose tokens have expired",
            .refresh(scopes: ["mail"]),
            with: expired,
            [
                (.looked(.here(expired)), "ask a"), (.refused(lasting), "confirm a"),
                (.refused(lasting), "keep a over a noting session, save"),
                (.saved(expired, isStored: true), "end requiresRecentLogin"),
            ]
        ),
        Row(
            "a refresh ends the notes about the session and about what came",
            .refresh(scopes: nil),
            [
                (.looked(.here(refused("a", .session, 61))), "ask a"),
                (.answered(b, refusal: nil), "keep b over a, save made"), (.saved(b, isStored: true), "end b"),
            ]
        ),
        Row(
            "a refresh keeps what was noted about other scopes within the last minute",
            .refresh(scopes: nil),
            [
                (.looked(.here(refused("a", .accessToken(scopes: ["mail"]), 59))), "ask a"),
                (.answered(b, refusal: nil), "keep b over a noting mail, save made"),
                (.saved(b, isStored: true), "end b"),
            ]
        ),
    ]
}
