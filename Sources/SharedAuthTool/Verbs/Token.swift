internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Prints the current user's ID token, and nothing else.
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print the ID token of the current user, refreshed if need be."
    )

    @Flag(help: "Get a new token even if the present one is still good.")
    var forceRefresh = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let state = auth.loadedState
        if let failure = state.failure(in: auth.userAccessGroup) { throw failure }
        guard let user = auth.currentUser else {
            let slot = auth.userAccessGroup.map { "access group \($0)" } ?? "the app's own slot"
            throw AuthError(.nullUser, "Nobody is signed in in \(slot). Sign in first.")
        }
        let forcing = forceRefresh
        // A token that is still good is printed without waiting for anything.
        let valid = forcing ? nil : user.validIDToken
        let token =
            try valid ?? result { () async throws(AuthError) in try await user.getIDToken(forcingRefresh: forcing) }
        try StandardOutput.write(line: token)
    }
}
