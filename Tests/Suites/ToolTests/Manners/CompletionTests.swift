import Foundation
import TestSupport
import Testing

/// Tests the shells' completion scripts, which offer the groups and app IDs in the state directory and the
/// environment.
struct CompletionTests {
    private let tool: Shell
    private let state: String
    private let folder: String

    init() throws {
        tool = try Shell(in: PrivateKeyring(state: .noDaemon))
        state = "\(tool.keyring.directory)/state"
        folder = "\(tool.keyring.directory)/completion"
        for (appID, group) in [("com.example.Mail", Shell.group), ("com.example.Notes", "group.com.example.own")] {
            let place = "\(state)/sharedauth/\(appID)/shop"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data(#"{"version":1,"slot":{"group":{"_0":"\#(group)"}}}"#.utf8)
                .write(to: URL(filePath: "\(place)/default.json"))
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Writes the script for a shell to a file, and returns its path.
    private func script(_ shell: String) throws -> String {
        let script = try tool.bare(["--generate-completion-script", shell])
        #expect(script.status == 0)
        let path = "\(folder)/sharedauth.\(shell)"
        try Data(script.standardOutput.utf8).write(to: URL(filePath: path))
        return path
    }

    /// The environment of the shells: `PATH` with the tool's folder first, and one group.
    private var environment: [String] {
        get throws {
            let folder = URL(filePath: try BuiltProducts.executable("sharedauth")).deletingLastPathComponent().path
            return ["PATH=\(folder):/usr/bin:/bin", "SHAREDAUTH_ACCESS_GROUPS=group.org.example.team"]
        }
    }

    /// Input after the tool's name, and the completions that a shell offers for it, without a keyring.
    private static let offers: [(typed: String, offered: [String])] = [
        ("use-group group.com", ["group.com.example.office", "group.com.example.own"]),
        ("use-group group.o", ["group.org.example.team"]),
        ("status --declare group.o", ["group.org.example.team"]),
        ("status --app-id com", ["com.example.Mail", "com.example.Notes"]),
        ("status --project s", ["shop"]),
        ("forget --group group.com.example.of", ["group.com.example.office"]),
        ("whoa", ["whoami"]),
        ("sign-in --ano", ["--anonymous"]),
        ("sign-in --jso", ["--json"]),
        ("migrate --if-occupied re", ["replace"]),
        ("help whoa", ["whoami"]),
    ]

    @Test("bash offers the completions")
    func bash() throws {
        let program = #"""
            source "$1"; shift
            [[ $(complete -p sharedauth) =~ -F\ ([^ ]+) ]] || exit 1
            for COMP_LINE; do
                COMP_POINT=${#COMP_LINE} COMPREPLY=()
                read -ra COMP_WORDS <<<"$COMP_LINE"
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                "${BASH_REMATCH[1]}" sharedauth "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo ${COMPREPLY[@]}
            done
            """#
        let lines = Self.offers.map { "sharedauth \($0.typed)" }
        let result = try tool.keyring.run(
            "/usr/bin/env",
            environment + ["bash", "-c", program, "bash", script("bash")] + lines
        )
        let offered = Self.offers.map { $0.offered.joined(separator: " ") + "\n" }
        #expect(result.standardOutput == offered.joined(), "\(result.standardError)")
    }

    /// Starts a shell on a terminal, which its completions need.
    private func terminal(_ program: String, _ arguments: String...) throws -> Terminal {
        try Programs.require(program)
        let words = try environment + ["TERM=dumb", program] + arguments
        return try Terminal("/usr/bin/env", words, in: tool.keyring)
    }

    @Test("fish offers the completions")
    func fish() throws {
        let terminal = try terminal("fish", "--no-config", "-i")
        try terminal.type("source \(script("fish"))\r")
        for (typed, offered) in Self.offers {
            let found = #"(complete -C "sharedauth \#(typed)" | string split -f1 \t | string join ,)"#
            try terminal.type("echo offers:\(found)\r")
            try terminal.await("offers:\(offered.joined(separator: ","))\r\n")
        }
    }

    @Test("zsh offers the completions")
    func zsh() throws {
        let terminal = try terminal("zsh", "-f", "-i")
        try terminal.type("PS1= ; autoload -U compinit; compinit -D -u; source \(script("zsh")); echo 'rea''dy'\r")
        try terminal.await("ready\r\n")
        for (typed, offered) in Self.offers {
            // The first Tab inserts the common prefix, the second lists the offers. Ctrl-U clears the line.
            try terminal.type("sharedauth \(typed)" + (offered.count == 1 ? "\t" : "\t\t"))
            for offer in offered { try terminal.await(offer) }
            try terminal.type("\u{15}")
        }
    }

    @Test("A name that a shell would execute is not offered")
    func harmful() throws {
        let environment = try environment.dropLast() + ["SHAREDAUTH_ACCESS_GROUPS=group.$(id):group.x`id`:group.fine"]
        let result = try tool.bare(
            ["---completion", "use-group", "--", "positional@0", "1", "0", "use-group", ""],
            environment: Array(environment)
        )
        #expect(result.standardOutput == "group.com.example.office\ngroup.com.example.own\ngroup.fine\n")
    }
}
