import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("Sign-in at the stand-in", .timeLimit(.minutes(2)))
struct SignInTests {
    @Test("The configuration describes each TV provider and omits disabled ones")
    func configuration() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        func mvpds() async throws -> [JSONValue] {
            let requestor = try await device.get("/api/v2/ExampleNews/configuration").json?["requestor"]
            guard case .array(let mvpds)? = requestor?["mvpds"] else { return [] }
            return mvpds
        }
        let all = try await mvpds()
        #expect(all.count == Provider.all.count)
        let passive = all.first { $0["id"]?.string == "Passive" }
        #expect(passive?["authPerAggregator"]?.bool == true && passive?["passiveAuthnEnabled"]?.bool == true)
        #expect(all.first { $0["id"]?.string == "DayPass" }?["isTempPass"]?.bool == true)
        try await server.turn("integration", #"{"requestor": "ExampleNews", "mvpd": "Cable", "isEnabled": false}"#)
        #expect(try await mvpds().contains { $0["id"]?.string == "Cable" } == false)
        #expect(try await device.session("Cable").code == "invalid_integration")
        #expect(try await device.session("Nobody").code == "invalid_parameter_mvpd")
        #expect(try await device.get("/api/v2/Nobody/configuration").code == "invalid_parameter_service_provider")
    }

    @Test("A user signs in on the page, and the browser is redirected with its parameters")
    func page() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        #expect(try await device.profiles().isEmpty)
        #expect(try await device.signIn() == "http://127.0.0.1:1/callback?state=s")
        let profile = try #require(try await device.profiles()["Cable"])
        #expect(profile["type"]?.string == "regular" && profile["issuer"]?.string == "Cable")
        #expect(profile["attributes"]?["userID"]?["state"]?.string == "plain")
        let again = try await device.session("Cable").json
        #expect(again?["actionName"]?.string == "authorize" && again?["reasonType"]?.string == "authenticated")
        server.clock.advance(by: 2_592_000)
        var later = device
        try await later.renew()
        #expect(try await later.profiles().isEmpty)
    }

    @Test("A wrong password is reported; a cancel redirects back without a profile")
    func refused() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        let code = try #require(try await device.session("Cable").json?["code"]?.string)
        let wrong = try await server.post(
            "/mvpd/Cable/login",
            ["code": code, "username": "<viewer>", "password": "x"]
        )
        #expect(wrong.status == 401 && wrong.text.contains(#"role="alert""#))
        #expect(wrong.text.contains("&lt;viewer&gt;") && !wrong.text.contains("<viewer>"))
        let cancelled = try await server.post("/mvpd/Cable/login", ["code": code, "action": "cancel"])
        #expect(cancelled.headers["Location"] == "http://127.0.0.1:1/callback?state=s")
        #expect(try await device.get("/api/v2/ExampleNews/profiles/code/\(code)").json?["profiles"] == .object([:]))
        let late = try await server.post(
            "/mvpd/Cable/login",
            ["code": code, "username": "viewer", "password": ServerState.password]
        )
        #expect(late.status == 400 && late.text.contains("Begin again"))
    }

    @Test("Another app's scheme leads to a page with a link")
    func customScheme() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        let begun = try await device.session("Cable", redirectURL: "adbe.app://adobe.com?state=s").json
        let code = try #require(begun?["code"]?.string)
        let page = try await server.post(
            "/mvpd/Cable/login",
            ["code": code, "username": "viewer", "password": ServerState.password]
        )
        #expect(page.status == 200 && page.text.contains(#"id="app" href="adbe.app://adobe.com?state=s""#))
        #expect(
            try await device.session("NoLogOut", redirectURL: "javascript://x").code
                == "invalid_parameter_redirect_url"
        )
    }

    @Test("Missing parameters are requested, and a foreign domain is refused")
    func parameters() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        let begun = try #require(try await device.session("Cable", redirectURL: nil).json)
        #expect(begun["actionName"]?.string == "resume")
        #expect(begun["missingParameters"]?.strings == ["redirectUrl"])
        let url = try #require(begun["url"]?.string)
        let resumed = try await server.post(url, ["redirectUrl": "http://127.0.0.1:1/"], device.headers).json
        #expect(resumed?["actionName"]?.string == "authenticate" && resumed?["code"] == begun["code"])
        #expect(try await device.session("Cable", domain: "elsewhere.example").code == "invalid_parameter_domain_name")
        server.clock.advance(by: LoginSession.lifetime)
        #expect(try await device.get(url).code == "invalid_parameter_code")
    }

    @Test("A user types the code on a second screen, chooses, and signs in")
    func secondScreen() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        let code = try #require(try await device.session(nil, redirectURL: nil).json?["code"]?.string)
        #expect(try await server.post("/activate", ["code": "WRONG"]).status == 404)
        let choice = try await server.post("/activate", ["code": " \(code.lowercased()) "])
        #expect(choice.status == 200 && choice.text.contains("Aurora Cable") && !choice.text.contains("Day Pass"))
        let chosen = try await server.post("/activate", ["code": code, "mvpd": "Cable"])
        let page = try await server.send(.get, try #require(chosen.headers["Location"]))
        #expect(page.headers["Location"] == "/mvpd/Cable/login?code=\(code)")
        let done = try await server.post(
            "/mvpd/Cable/login",
            ["code": code, "username": "viewer", "password": ServerState.password]
        )
        #expect(done.headers["Location"] == "/activated")
        let profiles = try await device.get("/api/v2/ExampleNews/profiles/code/\(code)").json?["profiles"]
        #expect(profiles?["Cable"] != nil)
    }

    @Test("A known browser is offered to continue as the same user")
    func visitor() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        let code = try #require(try await device.session("Cable").json?["code"]?.string)
        let first = try await server.post(
            "/mvpd/Cable/login",
            ["code": code, "username": "viewer", "password": ServerState.password]
        )
        let cookie = try #require(first.headers["Set-Cookie"]?.split(separator: ";").first)
        let other = try await server.device("another")
        let next = try #require(try await other.session("Cable").json?["code"]?.string)
        let page = try await server.send(.get, "/mvpd/Cable/login?code=\(next)", ["Cookie": String(cookie)])
        #expect(page.text.contains("Continue as viewer"))
        let form = ["code": next, "action": "continue"]
        #expect(try await server.post("/mvpd/Cable/login", form).status == 401)
        #expect(try await server.post("/mvpd/Cable/login", form, ["Cookie": String(cookie)]).status == 303)
        #expect(try await other.profiles()["Cable"] != nil)
    }

    @Test("A passive TV provider signs in a second programmer's app without a prompt")
    func passive() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        for (mvpd, action) in [("Passive", "authorize"), ("PerProgrammer", "authenticate")] {
            try await device.signIn(mvpd)
            let second = try await device.session(mvpd, requestor: "ExampleSport", domain: "sport.example.com")
            #expect(second.json?["actionName"]?.string == action)
        }
    }
}
