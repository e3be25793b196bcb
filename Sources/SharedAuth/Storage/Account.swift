/// One user in a slot: who they are, their tokens, and the project that issued them.
package struct Account: Sendable, Hashable, Codable {
    package var profile: UserProfile
    package var tokens: UserTokens
    package var project: String

    package init(profile: UserProfile, tokens: UserTokens, project: String) {
        self.profile = profile
        self.tokens = tokens
        self.project = project
    }

    package var uid: String { profile.uid }
}
