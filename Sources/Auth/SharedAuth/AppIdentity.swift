package import DesktopSupport

/// The identity of an app: its id, its team, and the access groups it declares.
public struct AppIdentity: Sendable, Hashable {
    /// The app id in reverse DNS form, as in a Flatpak or desktop file, e.g. `com.example.Mail`.
    public let appID: String
    /// The team id, with which the team's access groups start; nil if the app has no team.
    public let teamID: String?
    /// The access groups that the app declares; empty if any well-formed group is accepted.
    public let accessGroups: [AccessGroup]

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - appID: The app id in reverse DNS form.
    ///   - teamID: The team id, if the app has a team.
    ///   - accessGroups: The names of the access groups that the app declares; empty to accept any well-formed group.
    /// - Throws: `invalidAppIdentifier` if the app id or team id is malformed; `invalidAccessGroup` if the name of a
    ///   group is malformed; `accessGroupNotDeclared` if a team id is given and a group starts neither with it nor with
    ///   `group.`.
    public init(appID: String, teamID: String? = nil, accessGroups: [String] = []) throws(AuthError) {
        if let flaw = Identifier.flaw(in: appID, leastComponents: 1) {
            throw AuthError(
                .invalidAppIdentifier,
                "The app id \(appID.quotedName) \(flaw).",
                remedy: "Use the app's reverse-DNS id, e.g. com.example.Mail."
            )
        }
        if let teamID, let flaw = Identifier.flaw(in: teamID, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The team id \(teamID.quotedName) \(flaw).")
        }
        self.appID = appID
        self.teamID = teamID
        var groups: [AccessGroup] = []
        for name in accessGroups {
            let group = try AccessGroup(name)
            try Self.check(group, belongsTo: teamID)
            groups.append(group)
        }
        self.accessGroups = groups
    }

    /// Returns the access group with a name, if this app may use it.
    ///
    /// - Throws: `invalidAccessGroup` if the name is malformed; `accessGroupNotDeclared` if the app may not use the
    ///   group.
    public func accessGroup(named name: String) throws(AuthError) -> AccessGroup {
        let group = try AccessGroup(name)
        try Self.check(group, belongsTo: teamID)
        if !accessGroups.isEmpty, !accessGroups.contains(group) {
            throw AuthError(
                .accessGroupNotDeclared,
                "\(appID) does not declare the access group \(name); it declares: "
                    + accessGroups.map(\.name).joined(separator: ", ") + ".",
                remedy: "Add it to Options.accessGroups."
            )
        }
        return group
    }

    /// Checks that this app may use the slot that is stored as its choice, in the file at `path`.
    ///
    /// - Throws: The errors of `accessGroup(named:)`. For `accessGroupNotDeclared`, the message names the file and the
    ///   likely origin of the choice, and the remedy says what to do.
    func checkStoredChoice(of slot: Slot, in path: String?) throws(AuthError) {
        guard let group = slot.groupName else { return }
        do throws(AuthError) {
            _ = try accessGroup(named: group)
        } catch {
            guard error.code == .accessGroupNotDeclared else { throw error }
            let place = path.map { " in \($0)" } ?? ""
            throw AuthError(
                .accessGroupNotDeclared,
                "The choice of the access group \(group) is stored for \(appID)\(place), perhaps by a migration. \(error.message)",
                remedy:
                    "Declare it, or choose another group with useUserAccessGroup; the users stay in \(group) until they are "
                    + "migrated from there."
            )
        }
    }

    /// A placeholder for an app whose id is not known.
    static let unknown = AppIdentity()

    private init() {
        (appID, teamID, accessGroups) = ("unknown", nil, [])
    }

    private static func check(_ group: AccessGroup, belongsTo teamID: String?) throws(AuthError) {
        guard let teamID else { return }
        if group.name.hasPrefix(teamID + ".") || group.name.hasPrefix("group.") { return }
        throw AuthError(
            .accessGroupNotDeclared,
            "The access group \(group) belongs to another team: with the team id \(teamID) a group starts with "
                + "\(teamID). or with group."
        )
    }
}

extension AppIdentity {
    /// Returns the app id of a process that configured none: the first that exists of its Flatpak id,
    /// `SHAREDAUTH_APP_ID`, the name of its snap, and the name by which it was started, or else of its file.
    package static func derivedAppID(
        environment: (String) -> String? = { Environment[$0] },
        sandbox: Sandbox? = .current,
        arguments: [String] = ProgramArguments.words
    ) -> String {
        if let id = assignedAppID(environment: environment, sandbox: sandbox) { return id }
        let executable =
            arguments.first?.split(separator: "/").last.map(String.init)
            ?? ProgramFile.own ?? "app"
        let plain = executable.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-" }
        return String(plain.drop { $0 == "." })
    }

    /// Returns the app id that the surroundings of the process assign to it, whatever program it runs: the first that
    /// exists of its Flatpak id, `SHAREDAUTH_APP_ID`, and the name of its snap; else nil.
    package static func assignedAppID(
        environment: (String) -> String? = { Environment[$0] },
        sandbox: Sandbox? = .current
    ) -> String? {
        if case .flatpak(let id?) = sandbox { return id }
        if let id = environment("SHAREDAUTH_APP_ID") { return id }
        if case .snap(let name) = sandbox { return name }
        return nil
    }
}

/// The name under which apps share one signed-in user, e.g. `TEAMID.com.example.group1`.
///
/// A well-formed name has 1 to 255 of the characters `A–Z a–z 0–9 . - _`, and at least two non-empty components
/// separated by dots.
///
/// An access group is a name and a policy, not a security boundary: the Secret Service does not prevent an unsandboxed
/// app from reading the items that another app stored.
public struct AccessGroup: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String

    /// Creates an access group with a well-formed name.
    ///
    /// - Throws: `invalidAccessGroup` if `name` is empty or malformed.
    public init(_ name: String) throws(AuthError) {
        if let flaw = Identifier.flaw(in: name, leastComponents: 2) {
            throw AuthError(
                .invalidAccessGroup,
                "The access group \(name.quotedName) \(flaw).",
                remedy: "Use a name such as TEAMID.com.example.group or group.com.example."
            )
        }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}
