internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth
internal import SharedAuthFleet

/// The choice about the users who are signed in on this device when it joins a fleet.
struct LocalUserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The users of this device: share (if the fleet has none in their group), replace (the fleet's), or sign-out.",
            valueName: "choice"
        ),
        transform: { text in
            guard let choice = SharedAuthFleet.Fleet.LocalUsers(rawValue: text) else {
                throw ValidationError("--local-users takes share, replace or sign-out.")
            }
            return choice
        }
    )
    var localUsers: SharedAuthFleet.Fleet.LocalUsers?

    /// Returns the choice; nil if no user is signed in on this device alone. Asks on a terminal if it was not given.
    ///
    /// - Throws: A usage error if there are users and no terminal to ask on.
    func choice(
        for fleet: SharedAuthFleet.Fleet,
        _ options: AppOptions
    ) throws -> SharedAuthFleet.Fleet.LocalUsers? {
        let sessions = try fleet.localSessions(ofProject: options.projectName, by: .ofVerb)
        if sessions.isEmpty { return nil }
        if let localUsers { return localUsers }
        let users = sessions.map { "\($0.uid) in \($0.accessGroup ?? "")" }.joined(separator: ", ")
        guard Terminal.isThere else {
            throw ValidationError("Signed in on this device: \(users). Give --local-users share, replace or sign-out.")
        }
        return Terminal.isYes("Signed in on this device: \(users). Share them? Otherwise they are signed out.")
            ? .share : .signOut
    }

    /// Carries the choice out, and ends the sessions of users who are signed out.
    func settle(
        _ users: SharedAuthFleet.Fleet.LocalUsers,
        in fleet: SharedAuthFleet.Fleet,
        _ store: any RecordStore,
        _ options: AppOptions
    ) throws {
        let sessions = try fleet.settle(users, ofProject: options.projectName, by: .ofVerb)
        let ends = SessionEnds(sessions, in: store, project: options.projectName)
        if !options.json { try ends.print() }
    }
}
