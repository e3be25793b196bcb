import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

/// Sends hostile tokens in every place where the stand-in reads one. Each test reads a real token afterwards.
@Suite("Hostile tokens at Pass's stand-in", .timeLimit(.minutes(2)))
struct HostileTokenTests {
    @Test("A hostile software statement is refused")
    func statement() async throws {
        let server = try PassServerFixture()
        for token in HostileToken.all {
            let statement = JSONValue.object(["software_statement": .string(token.text)])
            let answer = try await server.post("/o/client/register", json: statement)
            #expect(answer.status == 400 && answer.code == "invalid_software_statement", "\(token.testDescription)")
        }
        _ = try await server.device()
    }

    @Test("A hostile service token is refused")
    func serviceToken() async throws {
        let server = try PassServerFixture()
        var device = try await server.device()
        // Longer ones and other characters are no headers.
        let tokens = HostileToken.all.filter { $0.text.utf8.count < 8192 && $0.text.utf8.allSatisfy { $0 < 0x80 } }
        #expect(tokens.count > 10)
        for token in tokens {
            device.extra["AD-Service-Token"] = token.text
            let answer = try await device.get("/api/v2/ExampleSport/profiles")
            #expect(answer.code == "invalid_header_service_token", "\(token.testDescription)")
        }
        device.extra["AD-Service-Token"] = try await server.send(.get, "/standin/service-token/somebody").text
        #expect(try await device.get("/api/v2/ExampleSport/profiles").status == 200)
    }
}
