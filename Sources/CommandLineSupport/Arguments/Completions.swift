package import ArgumentParser
internal import DesktopSupport
internal import SharedAuth

/// What a shell offers where a name is to be given: names from the environment, and those that the apps of this person have
/// stored choices with. The keyring is not asked.
extension CompletionKind {
    /// Access groups.
    package static var accessGroups: CompletionKind {
        names { Environment.accessGroups + StoredChoice.all().compactMap(\.group) }
    }

    /// App ids.
    package static var appIDs: CompletionKind {
        names { [Environment["SHAREDAUTH_APP_ID"]].compactMap(\.self) + StoredChoice.all().map(\.appID) }
    }

    /// Projects.
    package static var projects: CompletionKind {
        names { [Environment["SHAREDAUTH_PROJECT"]].compactMap(\.self) + StoredChoice.all().map(\.project) }
    }

    private static func names(_ all: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, beginning in
            // A shell would obey other characters.
            Set(all()).filter { $0.hasPrefix(beginning) && $0.allSatisfy(isHarmless) }.sorted()
        }
    }

    private static func isHarmless(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".-_".contains(character))
    }
}
