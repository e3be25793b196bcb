/// A choice of access group that an app of this person has stored, for tools: read from the state directory alone, with no
/// call of the keyring.
package struct StoredChoice: Sendable, Hashable {
    /// The app's id.
    package let appID: String
    /// The project.
    package let project: String
    /// The group that was chosen; nil for the app's own slot, or if the file cannot be read.
    package let group: String?

    /// Every choice below a state directory, in the order of app ids and projects.
    package static func all(in directory: String = AuthApp.defaultStateDirectory) -> [StoredChoice] {
        StateDirectories.names(in: directory).flatMap { appID in
            StateDirectories.names(in: "\(directory)/\(appID)").flatMap { project in
                StateDirectories.names(in: "\(directory)/\(appID)/\(project)").compactMap { file -> StoredChoice? in
                    guard file.hasSuffix(".json") else { return nil }
                    let journal = Journal(
                        directory: directory,
                        appID: appID,
                        project: project,
                        instance: String(file.dropLast(".json".count))
                    )
                    return StoredChoice(appID: appID, project: project, group: try? journal.read().slot.groupName)
                }
            }
        }
    }
}
