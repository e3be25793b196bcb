import PassAuth
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("Ownership of sign-ins at the stand-in", .timeLimit(.minutes(2)))
struct ProfileTests {
    @Test("A profile belongs to one client on one device and permits nothing on another")
    func binding() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await device.signIn()
        #expect(try await server.device().profiles().isEmpty)
        var moved = device
        moved.fingerprint = "another"
        #expect(try await moved.profiles().isEmpty)
        let refused = try await moved.decide("authorize", ["news-live"])
        #expect(refused.status == 403 && refused.code == "invalid_header_device_identifier")
        #expect(try await server.device().decide("authorize", ["a"]).code == "authenticated_profile_missing")
        server.clock.advance(by: 2_592_000)
        var later = device
        try await later.renew()
        #expect(try await later.decide("authorize", ["a"]).code == "authenticated_profile_expired")
    }

    @Test("A service token shares one app's sign-in with another, for each programmer")
    func serviceToken() async throws {
        let server = try PassServerFixture()
        var (one, two) = (try await server.device(), try await server.device())
        let token = try await server.send(.get, "/standin/service-token/somebody").text
        one.extra["AD-Service-Token"] = token
        try await one.signIn()
        try await one.signIn("PerProgrammer")
        #expect(try await two.profiles("ExampleSport").isEmpty)
        two.extra["AD-Service-Token"] = token
        let shared = try await two.profiles("ExampleSport")
        #expect(shared.keys.sorted() == ["Cable"])
        #expect(shared["Cable"]?["type"]?.string == "serviceTokenSSO")
        #expect(try await two.decide("authorize", ["a"], requestor: "ExampleSport").permitted == [true])
        two.extra["AD-Service-Token"] = token + "x"
        #expect(try await two.get("/api/v2/ExampleSport/profiles").code == "invalid_header_service_token")
        server.clock.advance(by: 3600)
        #expect(try await one.get("/api/v2/ExampleNews/profiles").code == "invalid_header_service_token")
    }

    @Test("A log-out ends the sign-in, and names the TV provider's page if it has one")
    func logOut() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        for (mvpd, action) in [("Cable", "logout"), ("NoLogOut", "complete")] {
            try await device.signIn(mvpd)
            let path = "/api/v2/ExampleNews/logout/\(mvpd)?redirectUrl=http%3A%2F%2F127.0.0.1%3A1%2Fdone"
            let answer = try await device.get(path).json?["logouts"]?[mvpd]
            #expect(answer?["actionName"]?.string == action)
            #expect(try await device.profiles()[mvpd] == nil)
            #expect(try await device.get(path).json?["logouts"]?[mvpd]?["actionName"]?.string == "invalid")
            if let page = answer?["url"]?.string {
                let shown = try await server.send(.get, page)
                #expect(shown.headers["Location"] == "http://127.0.0.1:1/done")
                #expect(shown.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
            }
        }
    }

    @Test("The SDK tokens of a sign-in are signed with the key that the server exports")
    func tokens() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        #expect(try await device.get("/standin/tokens/authn/ExampleNews/Cable").status == 403)
        try await device.signIn()
        let key = try TokenPublicKey(pem: try await server.send(.get, "/standin/key").text)
        let authentication = try AuthenticationToken(
            fragment: try await device.get("/standin/tokens/authn/ExampleNews/Cable").text
        )
        let authorization = try AuthorizationToken(
            fragment: try await device.get("/standin/tokens/authz/ExampleNews/Cable?resource=news-live").text
        )
        for token in [authentication as any DeviceBoundToken, authorization] {
            let verdict = token.verdict(
                at: server.clock.now,
                fingerprint: "device",
                allowedIssuers: ["Cable"],
                requestor: "ExampleNews",
                publicKey: key
            )
            #expect(verdict == .valid)
        }
        #expect(authorization.resource == "news-live")
    }

    @Test("The key for encrypted metadata is a PEM public key of a known programmer")
    func metadataKey() async throws {
        let server = try PassServerFixture()
        let key = try TokenSigningKey()
        func set(_ requestor: String, _ pem: String) async throws -> HTTPResponse {
            let order: [String: JSONValue] = ["requestor": .string(requestor), "publicKey": .string(pem)]
            return try await server.post("/control/metadata-key", json: .object(order))
        }
        for (requestor, pem) in [("Nobody", key.publicKey.pem), ("ExampleNews", key.pem), ("ExampleNews", "text")] {
            let answer = try await set(requestor, pem)
            #expect(answer.status == 400 && answer.code == "wrong_order", "\(requestor)")
        }
        #expect(try await set("ExampleNews", key.publicKey.pem).status == 200)
    }
}
