import SecretService
import Testing

@testable import SharedAuth

/// The notes of the daemons that keep the users, in the format of each version.
struct KeeperNotesTests {
    private func keepers(_ text: String) -> [KeyringDaemon.Kind] { KeeperNotes(decoding: Array(text.utf8))[""] }

    @Test(
        "Notes of earlier versions are read as the daemon's kind",
        arguments: [
            ("gnome-keyring-daemon", KeyringDaemon.Kind.gnomeKeyring), ("gnome-keyring-d", .gnomeKeyring),
            ("gnome-keyring-daemon (deleted)", .gnomeKeyring), (".gnome-keyring-daemon-wrapped", .gnomeKeyring),
            (".gnome-keyring-", .gnomeKeyring), ("kwalletd5", .kWallet), ("kwalletd6", .kWallet),
            ("kwalletd6 (deleted)", .kWallet), ("ksecretd", .kWallet), ("keepassxc", .keePassXC),
        ]
    )
    func earlier(_ program: String, _ kind: KeyringDaemon.Kind) {
        #expect(keepers(#"{"providers":{"":["\#(program)"]},"version":1}"#) == [kind])
    }

    @Test("Earlier notes of one kind become one keeper; those of no keyring are dropped")
    func merged() {
        let text =
            #"{"providers":{"":["kwalletd5","sleep","ksecretd","python3","keepassxc"],"a.b":["sleep"]},"version":1}"#
        let notes = KeeperNotes(decoding: Array(text.utf8))
        #expect(notes[""] == [.kWallet, .keePassXC])
        #expect(notes["a.b"] == [])
        #expect(keepers(String(decoding: notes.encoded() ?? [], as: UTF8.self)) == [.kWallet, .keePassXC])
    }

    @Test("A daemon of unknown kind is noted by its program and read back")
    func others() throws {
        var notes = KeeperNotes()
        for keeper in [KeyringDaemon.Kind.other("example-keyring"), .other("example-keyring"), .gnomeKeyring] {
            notes.note(keeper, of: "")
        }
        #expect(Set(keepers(String(decoding: try #require(notes.encoded()), as: UTF8.self))) == Set(notes[""]))
        #expect(notes[""] == [.other("example-keyring"), .gnomeKeyring])
        notes[""] = []
        #expect(keepers(String(decoding: try #require(notes.encoded()), as: UTF8.self)) == [])
    }
}
