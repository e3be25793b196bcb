/// One user in a slot: who they are, their tokens, and the project that issued them.
struct Account: Sendable, Hashable, Codable {
    var profile: UserProfile
    var tokens: UserTokens
    var project: String

    var uid: String { profile.uid }
}
