import TestSupport
import Testing

/// Tests that the scripts that move users do what the transcripts in their README show.
struct MigrationScriptTests {
    private static let template = "group.com.example.template"

    private let keyring: PrivateKeyring
    private let rollScript = ScriptFolder("roll-apps")
    private let mergeScript = ScriptFolder("merge-groups")

    init() throws {
        keyring = try PrivateKeyring()
    }

    @Test("Fifty apps are moved from their own slots to a group, as the README shows")
    func rolling() throws {
        let transcript = try rollScript.transcripts()[2]
        // One user, who is signed in to each app separately.
        let result = try rollScript.run(
            ScriptFolder.commands(of: transcript),
            prepared: """
                sharedauth use-group --app-id com.example.First \(Self.template) >log
                sharedauth sign-in --app-id com.example.First --anonymous >>log
                for number in $(seq 50); do
                    echo com.example.App$number >>apps.txt
                    sharedauth update-current-user --app-id com.example.App$number --from-group \(Self.template) >>log 2>&1
                done
                sharedauth forget --app-id com.example.First --group \(Self.template) --yes >>log
                """,
            in: keyring
        )
        #expect(result.standardOutput == transcript + "\n")
        keyring.shutdown()
    }

    @Test("Two groups are merged once a user is chosen, and undone, as the README shows")
    func merging() throws {
        let transcript = try mergeScript.transcripts()[3]
        let result = try mergeScript.run(
            ScriptFolder.commands(of: transcript),
            prepared: """
                for app in Mail Calendar Notes; do
                    sharedauth use-group --app-id com.example.$app group.com.example.office >>log
                done
                sharedauth sign-in --app-id com.example.Mail --anonymous >>log
                sharedauth use-group --app-id com.example.Other group.com.example.company >>log
                sharedauth sign-in --app-id com.example.Other --anonymous >>log
                sharedauth whoami --app-id com.example.Mail >before
                sharedauth whoami --app-id com.example.Other >>before
                """,
            in: keyring
        )
        #expect(result.standardOutput == transcript + "\n")
        let after = try mergeScript.run(
            [
                "cat before", "sharedauth whoami --app-id com.example.Notes",
                "sharedauth whoami --app-id com.example.Other",
            ],
            prepared: "",
            in: keyring
        )
        let lines = after.standardOutput.split(separator: "\n")
        #expect(Array(lines[1...2]) == [lines[4], lines[6]])
        keyring.shutdown()
    }
}
