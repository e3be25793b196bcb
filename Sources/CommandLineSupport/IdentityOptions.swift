package import ArgumentParser
package import SecretService

/// Who the app is.
package struct IdentityOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app id in reverse DNS form.", valueName: "id"), completion: .appIDs)
    package var appID: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team id; access groups then start with it, or with 'group.'.", valueName: "id")
    )
    private var givenTeamID: String?

    @Option(
        help: ArgumentHelp("An access group that the app declares; may be repeated.", valueName: "group"),
        completion: .accessGroups
    )
    package var declare: [String] = []

    package init() {}

    /// The team id: the one given, else the one that the environment names.
    package var teamID: String? { givenTeamID ?? Environment["SHAREDAUTH_TEAM_ID"] }

    /// The access groups that the app declares: those given, else those that the environment names.
    package var accessGroups: [String] { declare.isEmpty ? Environment.accessGroups : declare }
}

extension Environment {
    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`; an empty one among them is kept, to be refused as malformed.
    package static var accessGroups: [String] {
        Self["SHAREDAUTH_ACCESS_GROUPS"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
