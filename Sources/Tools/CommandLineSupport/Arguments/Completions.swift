package import ArgumentParser
internal import DesktopSupport
internal import SharedAuth

/// Shell completions for names: names from the environment, and names from the choices that this user's apps have
/// stored. They do not read the keyring.
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
            // A shell would interpret other characters.
            Set(all()).filter { $0.hasPrefix(beginning) && $0.allSatisfy(isHarmless) }.sorted()
        }
    }

    private static func isHarmless(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".-_".contains(character))
    }
}
