import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// The servers that tests and samples start, as another user of the machine finds them.
struct PrivateServerTests {
    private static let ask = "setpriv --reuid=daemon --regid=daemon --clear-groups psql --no-psqlrc --quiet"

    init() throws {
        if geteuid() != 0 { try Test.cancel("Only root can become another user.") }
    }

    /// Runs a script in the root of the checkout, with these arguments.
    private func run(_ script: String, _ arguments: String...) throws -> ProcessResult {
        return try ProcessResult(
            of: ["/bin/bash", "-c", "cd \"$0\" && \(script)", Checkout.root.path] + arguments,
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"],
            files: TestDirectory.newPath()
        )
    }

    @Test("Another user cannot enter the directory of a test's server")
    func ofTests() throws {
        let server = try PrivatePostgres.shared.get()
        #expect(try server.administer("SELECT 1") == "1")
        let result = try run(
            "\(Self.ask) --host=\"$1\" --username=dba --command='SELECT 1' postgres",
            server.directory
        )
        #expect(result.status == 2)
        #expect(result.standardError.contains("Permission denied"), "\(result.standardError)")
    }

    @Test("A sample's server admits its own user only, even if its directory is open")
    func ofSamples() throws {
        let result = try run(
            """
            source Samples/scripts/private-postgres && trap remove_private_postgres EXIT
            make_private_postgres fleet alice
            ls -d "$postgres".* 2>/dev/null
            psql --no-psqlrc --quiet --host="$postgres" --username=dba --command='CREATE ROLE alice LOGIN' fleet
            psql --no-psqlrc -At --host="$postgres" --username=alice --command='SELECT current_user' fleet
            stat --format=%a "$postgres"
            cd /
            for mode in 700 755; do
                chmod $mode "$postgres"
                for role in dba alice; do
                    \(Self.ask) --host="$postgres" --username=$role --command='SELECT 1' fleet
                    echo "$mode $role $?"
                done
            done
            """
        )
        #expect(
            result.standardOutput == "alice\n700\n700 dba 2\n700 alice 2\n755 dba 2\n755 alice 2\n",
            "\(result.standardError)"
        )
        #expect(result.standardError.contains("Peer authentication failed"), "\(result.standardError)")
    }
}
