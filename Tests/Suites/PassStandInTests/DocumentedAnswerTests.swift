import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("The stand-in is as strict and as lenient as the documents", .timeLimit(.minutes(2)))
struct DocumentedAnswerTests {
    private let server: PassServerFixture
    private let device: Device

    init() async throws {
        server = try PassServerFixture()
        device = try await server.device()
    }

    private func members(_ value: JSONValue?) -> Set<String> {
        guard case .object(let members)? = value else { return [] }
        return Set(members.keys)
    }

    @Test("Registration and access tokens are refused in OAuth's format, which has no code")
    func registrationError() async throws {
        let register = try await server.post("/o/client/register", json: .object([:]))
        #expect(register.status == 400 && register.json == .object(["error": .string("invalid_request")]))
        let token = try await server.post("/o/client/token", ["client_id": "a"])
        #expect(token.status == 400 && token.json == .object(["error": .string("invalid_request")]))
        let call = try await server.send(.get, "/api/v2/ExampleNews/configuration", ["Authorization": "Bearer x"])
        #expect(call.status == 401 && call.json == .object(["error": .string("access_denied")]))
    }

    @Test("A refusal of REST v2 has the members of an enhanced error code")
    func enhancedError() async throws {
        let refused = try await device.get("/api/v2/Nobody/configuration")
        let required: Set = ["action", "code", "helpUrl", "message", "status", "trace"]
        #expect(refused.status == 400 && members(refused.json) == required)
        let decision = try await decision(of: "sport-live", at: "LineUp")
        #expect(members(decision["error"]) == required.union(["details"]))
    }

    private func decision(of resource: String, at mvpd: String) async throws -> JSONValue {
        try await device.signIn(mvpd)
        return try #require(try await device.decide("authorize", [resource], mvpd).decision)
    }

    @Test("An incomplete session begins with resume and continues with retry")
    func retry() async throws {
        let begun = try await device.session("Cable", domain: nil, redirectURL: nil)
        #expect(begun.json?["actionName"]?.string == "resume")
        let path = try #require(begun.json?["url"]?.string)
        let incomplete = try await server.post(path, ["domainName": "news.example.com"], device.headers)
        #expect(incomplete.json?["actionName"]?.string == "retry")
        #expect(incomplete.json?["missingParameters"] == .array([.string("redirectUrl")]))
        let whole = try await server.post(path, ["redirectUrl": "adbe.x://adobe.com"], device.headers)
        #expect(whole.json?["actionName"]?.string == "authenticate")
        #expect(!members(whole.json).contains("missingParameters"))
        let session = try await device.get(path)
        #expect(session.status == 200 && !members(session.json).contains("missingParameters"))
    }

    @Test("The configuration lists only the true flags of a TV provider")
    func flags() async throws {
        let answer = try await device.get("/api/v2/ExampleNews/configuration").json
        guard case .array(let mvpds)? = answer?["requestor"]?["mvpds"] else {
            Issue.record("no list of TV providers")
            return
        }
        func named(_ id: String) -> Set<String> { members(mvpds.first { $0["id"]?.string == id }) }
        #expect(named("Cable") == ["id", "displayName", "logoUrl"])
        #expect(named("Passive") == ["id", "displayName", "logoUrl", "authPerAggregator", "passiveAuthnEnabled"])
        #expect(named("DayPass").contains("isTempPass"))
    }

    @Test("A device that does not name its model is refused, also at registration")
    func model() async throws {
        var nameless = device
        nameless.extra = ["X-Device-Info": Data(#"{"osName":"Linux"}"#.utf8).base64EncodedString()]
        #expect(try await nameless.get("/api/v2/ExampleNews/configuration").code == "invalid_header_device_info")
        let statement = JSONValue.object(["software_statement": .string(PassServerFixture.statement)])
        let register = try await server.post("/o/client/register", json: statement, nameless.extra)
        #expect(register.status == 400 && register.code == "invalid_request")
    }

    @Test(
        "Resources that are not a list of texts, or not sent as JSON, are refused",
        arguments: [
            (#"{"resources": ["a", 5]}"#, "application/json"), (#"{"resources": "a"}"#, "application/json"),
            (#"{"resources": []}"#, "application/json"), (#"{"resources": ["a"]}"#, "text/plain"),
        ]
    )
    func resources(_ body: String, _ type: String) async throws {
        try await device.signIn()
        var headers = device.headers
        headers["Content-Type"] = type
        for kind in ["preauthorize", "authorize"] {
            let answer = try await server.send(.post, "/api/v2/ExampleNews/decisions/\(kind)/Cable", headers, body)
            #expect(answer.status == 400 && answer.code == "invalid_parameter_resources", "\(kind)")
        }
    }
}
