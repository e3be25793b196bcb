package import DesktopSupport

/// Who an app is: its id, its team, and the access groups it declares.
public struct AppIdentity: Sendable, Hashable {
    /// The app id in reverse DNS form, as in a Flatpak or desktop file, e.g. `com.example.Mail`.
    public let appID: String
    /// The team whose id begins the team's access groups, if any.
    public let teamID: String?
    /// The access groups the app declares; empty means that any well-formed group is accepted.
    public let accessGroups: [AccessGroup]

    /// Makes an identity of well-formed parts.
    ///
    /// - Throws: `AuthError` with code `invalidAppIdentifier` for a malformed app or team id, `invalidAccessGroup` for
    ///   a malformed group, and `accessGroupNotDeclared` for a declared group that starts neither with the team id nor
    ///   with `group.` when a team id is given.
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

    /// Checks `name` and makes an access group of it that this app may use.
    ///
    /// - Throws: `AuthError` with code `invalidAccessGroup` or `accessGroupNotDeclared`.
    public func accessGroup(named name: String) throws(AuthError) -> AccessGroup {
        let group = try AccessGroup(name)
        try Self.check(group, belongsTo: teamID)
        if !accessGroups.isEmpty, !accessGroups.contains(group) {
            throw AuthError(
                .accessGroupNotDeclared,
                "\(appID) does not declare the access group \(name); declared are: "
                    + accessGroups.map(\.name).joined(separator: ", ") + ".",
                remedy: "Add it to Options.accessGroups."
            )
        }
        return group
    }

    /// Checks that this app may use a slot that was stored as its choice, in the file at `path`.
    ///
    /// - Throws: as `accessGroup(named:)`; that the group is not declared says who may have stored it, where, and what to do.
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

    /// Stands in when not even the app id is known.
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
    /// The app id of a process that configured none: its Flatpak id, else `SHAREDAUTH_APP_ID`, else the name of its snap,
    /// else the executable's name.
    package static func derivedAppID(
        environment: (String) -> String? = { Environment[$0] },
        sandbox: Sandbox? = .current
    ) -> String {
        if case .flatpak(let id?) = sandbox { return id }
        if let id = environment("SHAREDAUTH_APP_ID") { return id }
        if case .snap(let name) = sandbox { return name }
        let executable = CommandLine.arguments.first?.split(separator: "/").last ?? "app"
        let plain = executable.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-" }
        return String(plain.drop { $0 == "." })
    }
}

/// The name under which apps share one signed-in user, e.g. `TEAMID.com.example.group1`.
///
/// A well-formed name has 1 to 255 characters out of `A–Z a–z 0–9 . - _`, and at least two non-empty components
/// separated by dots. An access group is a name and a policy, not a security boundary: the Secret Service does not keep one
/// unsandboxed app from reading what another stored.
public struct AccessGroup: Sendable, Hashable, CustomStringConvertible {
    /// The name as given.
    public let name: String

    /// Makes an access group of a well-formed name.
    ///
    /// - Throws: `AuthError` with code `invalidAccessGroup` when `name` is empty or malformed.
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
