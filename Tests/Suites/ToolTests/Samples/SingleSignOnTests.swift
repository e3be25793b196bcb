import TestSupport
import Testing

struct SingleSignOnTests {
    @Test(
        "SingleSignOn completes its four stories, in memory and in a keyring",
        arguments: [([], "memory"), (["--keyring"], "the keyring")]
    )
    func fourStories(
        _ arguments: [String],
        _ place: String
    ) throws {
        let keyring = try PrivateKeyring(state: arguments.isEmpty ? .noDaemon : .unlocked)
        let result = try keyring.run(BuiltProducts.executable("SingleSignOn"), arguments)
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
        #expect(result.standardOutput == Self.output(place))
        keyring.shutdown()
    }

    private static func output(_ place: String) -> String {
        """
        Tokens are kept in \(place).

        1. One team, one prefix: single sign-on
           A is com.example.tv.AppA of TEAM1.
           B is com.example.tv.AppB of TEAM1.
           Open A: signed out. There is no token in its team's store.
           Sign in to A: the server gives it a token for its device id.
           Open B: signed in, as ProgrammerA is: the team's store has its token, and the device id is the same.
           Open A: signed in, with its own token.

        2. One team, two prefixes: a shared store, but two device ids
           A is com.example.tv.AppA of TEAM1.
           B is com.example.radio.AppB of TEAM1.
           Open A: signed out. There is no token in its team's store.
           Sign in to A: the server gives it a token for its device id.
           Open B: signed out. The team's store has a token, but of another device id: it is ignored, and stays.
           Sign in to B: the server gives it a token for its device id.
           Open A: signed in, with its own token.
           Open B: signed in, with its own token.

        3. Two teams: two stores
           A is com.example.tv.AppA of TEAM1.
           B is com.example.tv.AppB of TEAM2.
           Open A: signed out. There is no token in its team's store.
           Sign in to A: the server gives it a token for its device id.
           Open B: signed out. There is no token in its team's store.
           Sign in to B: the server gives it a token for its device id.
           Open A: signed in, with its own token.
           Open B: signed in, with its own token.

        4. As 2, but with SDK 1.8, which erases what it finds of other devices: sign-in never lasts
           A is com.example.tv.AppA of TEAM1.
           B is com.example.radio.AppB of TEAM1.
           Open A: signed out. There is no token in its team's store.
           Sign in to A: the server gives it a token for its device id.
           Open B: signed out. The token it found has another device id, so it erased it.
           Sign in to B: the server gives it a token for its device id.
           Open A: signed out. The token it found has another device id, so it erased it.
           Sign in to A: the server gives it a token for its device id.
           Open B: signed out. The token it found has another device id, so it erased it.

        """
    }
}
