import FoundationEssentials
import PassAuth
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("Decisions of the stand-in", .timeLimit(.minutes(2)))
struct DecisionTests {
    @Test("Each TV provider of the script decides as its script says")
    func scripts() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        for mvpd in ["Cable", "Refusing", "LineUp", "AuthZAll", "AuthZNone"] { try await device.signIn(mvpd) }
        #expect(try await device.decide("authorize", ["anything"]).permitted == [true])
        let refused = try #require(try await device.decide("authorize", ["a"], "Refusing").decision?["error"])
        #expect(refused["code"]?.string == "authorization_denied_by_mvpd")
        #expect(refused["details"]?.string?.contains("larger one") == true)
        let shown = try await device.decide("preauthorize", ["news-live", "sport-live"], "LineUp")
        #expect(shown.permitted == [true, false])
        let all = try await device.decide("authorize", ["a"], "AuthZAll").decision
        #expect(all?["source"]?.string == "degradation" && all?["authorized"]?.bool == true)
        let none = try await device.decide("authorize", ["a"], "AuthZNone").decision
        #expect(none?["error"]?["code"]?.string == "authorization_denied_by_degradation_rule")
        #expect(
            try await device.decide("authorize", ["<rss>"]).decision?["error"]?["code"]?.string
                == "malformed_authz_request"
        )
        #expect(try await device.session("AuthNAll").json?["reasonType"]?.string == "degraded")
        #expect(try await device.profiles()["AuthNAll"]?["type"]?.string == "degraded")
        #expect(try await device.decide("preauthorize", ["a", "b"], "AuthNAll").permitted == [true, true])
        try await server.turn("degradation", #"{"mvpd": "Cable", "rule": "AuthZ-None"}"#)
        #expect(try await device.decide("authorize", ["anything"]).permitted == [false])
    }

    @Test("Fork and join: five resources get decisions, a sixth is too many")
    func limit() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await device.signIn("ForkJoin")
        let six = (1...6).map { "channel-\($0)" }
        #expect(try await device.decide("preauthorize", Array(six.dropLast()), "ForkJoin").permitted.count == 5)
        #expect(try await device.decide("preauthorize", six, "ForkJoin").code == "too_many_resources")
        #expect(try await device.decide("authorize", Array(six.prefix(2)), "ForkJoin").code == "too_many_resources")
    }

    @Test("A temporary pass runs from its first use, across sign-ins")
    func temporaryPass() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        #expect(try await device.session("DayPass").json?["reasonType"]?.string == "temporary")
        server.clock.advance(by: 500)
        #expect(try await device.session("DayPass").status == 201)
        #expect(try await device.decide("preauthorize", ["a", "b"], "DayPass").permitted == [true, true])
        let first = try await device.decide("authorize", ["a"], "DayPass")
        #expect(first.permitted == [true] && first.decision?["source"]?.string == "temppass")
        server.clock.advance(by: 599)
        #expect(try await device.session("DayPass").status == 201)
        #expect(try await device.decide("authorize", ["b"], "DayPass").permitted == [true])
        server.clock.advance(by: 1)
        #expect(try await device.profiles().isEmpty)
        #expect(try await device.session("DayPass").code == "temporary_access_duration_limit_exceeded")
        #expect(
            try await device.decide("authorize", ["a"], "DayPass").code == "temporary_access_duration_limit_exceeded"
        )
        try await server.turn("forget", #"{"what": "temporary-passes"}"#)
        #expect(try await device.session("DayPass").status == 201)
    }

    @Test("A promotion recognizes the user on another device and covers two programmes")
    func promotion() async throws {
        let server = try PassServerFixture()
        var (one, two) = (try await server.device("one"), try await server.device("two"))
        #expect(
            try await one.session("PromoPass").code == "invalid_header_identity_for_temporary_access"
        )
        let identity = Data(#"{"email":"digest"}"#.utf8).base64EncodedString()
        one.extra["AP-TempPass-Identity"] = identity
        two.extra["AP-TempPass-Identity"] = identity
        for device in [one, two] { #expect(try await device.session("PromoPass").status == 201) }
        #expect(try await one.decide("authorize", ["a"], "PromoPass").permitted == [true])
        #expect(try await two.decide("authorize", ["b"], "PromoPass").permitted == [true])
        #expect(try await one.decide("authorize", ["a"], "PromoPass").permitted == [true])
        let third = try await one.decide("authorize", ["c"], "PromoPass").decision
        #expect(third?["error"]?["code"]?.string == "temporary_access_resources_limit_exceeded")
        let attributes = try await one.profiles()["PromoPass"]?["attributes"]
        #expect(attributes?["remaining_resources"]?["value"]?.string == "0")
    }

    @Test("When a programmer gives up a domain, sign-ins for it no longer count")
    func domain() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await device.signIn()
        try await server.turn("domains", #"{"requestor": "ExampleNews", "domains": ["new.example.com"]}"#)
        #expect(try await device.decide("authorize", ["a"]).code == "invalid_parameter_domain_name")
    }

    @Test("The verifier has six verdicts and accepts a media token once")
    func verifier() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await device.signIn()
        func token() async throws -> String {
            let decision = try await device.decide("authorize", ["news-live"]).decision
            return try #require(decision?["token"]?["serializedToken"]?.string)
        }
        func verify(_ token: String?, for resource: String = "news-live") async throws -> (String?, Bool?) {
            var order: [String: JSONValue] = ["requestor": .string("ExampleNews"), "resource": .string(resource)]
            order["token"] = token.map(JSONValue.string)
            let answer = try await server.post("/standin/verify", json: .object(order)).json
            return (answer?["status"]?.string, answer?["accepted"]?.bool)
        }
        let media = try await token()
        #expect(try await verify(media, for: "other") == ("INVALID_RESOURCE_ID", false))
        #expect(try await verify(media) == ("VALID_TOKEN", true))
        #expect(try await verify(media) == ("VALID_TOKEN", false))
        #expect(try await verify("nonsense") == ("INVALID_TOKEN_FORMAT", false))
        let foreign = try MediaToken(
            sessionGUID: "somebody",
            requestor: "ExampleNews",
            resource: "news-live",
            mvpd: "Cable",
            issued: server.clock.now,
            lifetime: .seconds(60),
            signedWith: try TokenSigningKey()
        )
        #expect(try await verify(foreign.serialized) == ("INVALID_SIGNATURE", false))
        let late = try await token()
        server.clock.advance(by: 421)
        #expect(try await verify(late) == ("TOKEN_EXPIRED", false))
        #expect(try await verify(nil) == ("ERROR_UNKNOWN", false))
    }
}
