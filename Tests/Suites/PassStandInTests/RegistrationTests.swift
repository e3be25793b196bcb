import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("Registration at the stand-in", .timeLimit(.minutes(2)))
struct RegistrationTests {
    @Test("A foreign, changed, expired or revoked statement is refused by name")
    func statements() async throws {
        let server = try PassServerFixture()
        func refusal(_ statement: String) async throws -> String? {
            let statement = JSONValue.object(["software_statement": .string(statement)])
            let answer = try await server.post("/o/client/register", json: statement)
            return answer.status == 201 ? nil : answer.code
        }
        func issued(_ lifetime: Double?) async throws -> String {
            var order: [String: JSONValue] = ["application": .string("app")]
            order["lifetime"] = lifetime.map(JSONValue.number)
            let answer = try await server.post("/control/issue-statement", json: .object(order))
            return try #require(answer.json?["statement"]?.string)
        }
        let (good, brief) = (try await issued(nil), try await issued(60))
        #expect(try await refusal(good) == nil)
        #expect(try await refusal(brief) == nil)
        #expect(try await refusal("foreign") == "invalid_software_statement")
        #expect(try await refusal(String(good.dropLast(2))) == "invalid_software_statement")
        server.clock.advance(by: 60)
        #expect(try await refusal(brief) == "invalid_software_statement")
        try await server.turn("revoke-statement", #"{"statement": "\#(good)"}"#)
        #expect(try await refusal(good) == "unapproved_software_statement")
        let empty = try await server.post("/o/client/register", json: .object([:]))
        #expect(empty.status == 400 && empty.code == "invalid_request")
    }

    @Test("An access token expires with a 401, and a new one is accepted")
    func accessToken() async throws {
        let server = try PassServerFixture()
        var device = try await server.device()
        #expect(try await device.get("/api/v2/ExampleNews/configuration").status == 200)
        server.clock.advance(by: 21_600)
        let late = try await device.get("/api/v2/ExampleNews/configuration")
        #expect(late.status == 401 && late.code == "access_denied")
        try await device.renew()
        #expect(try await device.get("/api/v2/ExampleNews/configuration").status == 200)
    }

    @Test("A client that was forgotten or whose statement was revoked must register again")
    func revoked() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await server.turn("revoke-statement", #"{"statement": "\#(PassServerFixture.statement)"}"#)
        let refused = try await device.get("/api/v2/ExampleNews/profiles")
        #expect(refused.status == 403 && refused.json?["error"]?.string == "invalid_client")
        #expect(try await device.accessToken().code == "unauthorized_client")
        try await server.turn("forget", #"{"what": "clients"}"#)
        #expect(try await device.accessToken().code == "invalid_client")
    }

    @Test("A call without a required header is refused, and the error names the header")
    func headers() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        for (name, code) in [
            ("AP-Device-Identifier", "invalid_header_device_identifier"),
            ("X-Device-Info", "invalid_header_device_info"),
        ] {
            var headers = device.headers
            headers[name] = nil
            let answer = try await server.send(.get, "/api/v2/ExampleNews/profiles", headers)
            #expect(answer.status == 400 && answer.code == code)
        }
    }
}
