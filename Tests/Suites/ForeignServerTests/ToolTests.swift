import Foundation
import SharedAuth
import TestSupport
import Testing

/// The tool, used on a terminal.
extension AtForeignServers {
    struct ToolTests {
        private let keyring: PrivateKeyring
        private let app: [String]
        private let tool: String

        init() throws {
            keyring = try PrivateKeyring.shared.get()
            app = ["--app-id", "com.example.Mail", "--project", "test-\(UUID().uuidString)"]
            tool = try BuiltProducts.executable("sharedauth")
        }

        private func run(_ arguments: String...) async throws -> ProcessResult {
            return try keyring.run(tool, arguments + app)
        }

        /// Returns the dynamic linker's report about a call.
        private func libraries(of arguments: String...) async throws -> String {
            return try keyring.run("/usr/bin/env", ["LD_DEBUG=libs", tool] + arguments + app).standardError
        }

        private func start(_ options: [String]) async throws -> Terminal {
            let issuerURL = try Foreign.nanoidp.issuerURL()
            let arguments = ["sign-in", "--oidc", issuerURL, "--client-id", "desktop"] + options + app
            let terminal = try Terminal(tool, arguments, in: keyring)
            try terminal.await("Waiting for the sign-in")
            return terminal
        }

        @Test("A session by device code works for token, access token, doctor and sign-out")
        func session() async throws {
            let terminal = try await start(["--device"])
            let lines = terminal.shown.split(separator: "\n").map(String.init)
            let address = try #require(
                lines.first { $0.contains("Open http") }?.split(separator: " ").dropFirst(2).first
            )
            let code = try #require(lines.dropFirst().first?.split(separator: " ").last)
            try await PersonProgram.act("code", "nanoidp", String(address), String(code))
            let (status, shown) = try terminal.end()
            #expect(status == 0, "\(shown)")

            let token = try await run("token", "--force-refresh", "--json")
            #expect(token.status == 0, "\(token.standardError)")
            let access = try await run("token", "--access")
            #expect(access.status == 0 && access.standardOutput.count > 20, "\(access.standardError)")
            let doctor = try Diagnosis(try await run("doctor", "--json"))
            #expect(doctor.verdicts["issuer"] == "good")
            #expect(doctor["clients"] == nil)

            #expect(try await libraries(of: "status").contains("libsecret-1"))
            #expect(try await !libraries(of: "status").contains("libsoup"))
            #expect(try await libraries(of: "token", "--force-refresh").contains("libsoup"))

            let revocations = try Foreign.requests("POST /revoke HTTP", at: .nanoidp)
            let signOut = try await run("sign-out")
            #expect(signOut.status == 0, "\(signOut.standardError)")
            #expect(try Foreign.requests("POST /revoke HTTP", at: .nanoidp) > revocations)
            #expect(try await run("token").status == 67)
        }

        @Test("The user signs in by browser at the printed address")
        func browser() async throws {
            let terminal = try await start(["--redirect-path", "/callback"])
            let address = try #require(
                terminal.shown.split(whereSeparator: \.isWhitespace).first { $0.contains("/authorize?") }
            )
            try await PersonProgram.act("page", "nanoidp", String(address))
            let (status, shown) = try terminal.end()
            #expect(status == 0, "\(shown)")
            #expect(try await run("whoami").status == 0)
        }

        @Test("Ctrl-C ends the wait, and nothing is stored", arguments: [["--device"], []])
        func interrupted(_ options: [String]) async throws {
            let terminal = try await start(options)
            try terminal.type("\u{3}")
            let (status, _) = try terminal.end()
            #expect(status == 130)
            #expect(try await run("token").status == 67)
        }
    }
}
