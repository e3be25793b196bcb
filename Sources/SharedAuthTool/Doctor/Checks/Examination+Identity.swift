internal import CommandLineSupport
internal import SecretService
internal import SharedAuth

extension Examination {
    /// Whether app id, team id and declared groups are well-formed and go together.
    mutating func checkIdentity() -> AppIdentity? {
        do throws(AuthError) {
            let identity = try AppIdentity(
                appID: options.appID ?? AppIdentity.derivedAppID(),
                teamID: options.teamID,
                accessGroups: options.accessGroups
            )
            try AppInspection.check(project: options.project)
            let groups = identity.accessGroups.map(\.name).joined(separator: ", ")
            note(
                .good(
                    "identity",
                    groups.isEmpty
                        ? "\(identity.appID) declares no access groups, so it may use any."
                        : "\(identity.appID) declares \(groups)."
                )
            )
            return identity
        } catch {
            note(
                .bad(
                    "identity",
                    error.message,
                    remedy: "Correct --app-id, --team-id, --declare or --project, and the same in the app's options.",
                    status: .usage
                )
            )
            return nil
        }
    }

    /// Which sandbox stands between the program and the bus.
    mutating func checkSandbox() {
        switch Sandbox.current {
        case nil:
            note(.good("sandbox", "This program runs in no sandbox."))
        case .flatpak(let appID):
            note(.good("sandbox", "This program runs in the Flatpak \(appID ?? "of an unknown app")."))
        case .snap(let name):
            note(.good("sandbox", "This program runs in the snap \(name)."))
        }
    }
}
