import Foundation
import SharedAuth
import SharedAuthHTTP
import Testing

@testable import PassAuth
@testable import PassREST

/// Requests as they are sent: method, address, headers and body of every call.
@Suite(.timeLimit(.minutes(2)))
struct RequestTests {
    private let world = PassFixture()

    /// Returns the one call that was sent.
    private func sent(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> ScriptedPass.Sent {
        let calls = world.pass.takeCalls()
        #expect(calls.count == 1, sourceLocation: sourceLocation)
        return try #require(calls.first, sourceLocation: sourceLocation)
    }

    /// Returns the names of the headers, in order.
    private func names(_ sent: ScriptedPass.Sent) -> [String] { sent.headers.fields.map(\.name).sorted() }

    private static let usual = ["AP-Device-Identifier", "Accept", "Authorization", "X-Device-Info"]

    @Test("The configuration is requested by the programmer's ID")
    func configuration() async throws {
        let backEnd = try await world.registered { $0.serviceToken = { "service" } }
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration))
        _ = try await backEnd.configuration(world.request(nil))
        let sent = try sent()
        #expect(sent.call == "GET /api/v2/REQ/configuration" && sent.body == "")
        #expect(names(sent) == Self.usual)
        #expect(sent.headers["Authorization"] == "Bearer token1")
        #expect(sent.headers["AP-Device-Identifier"] == "fingerprint ZjAwZA==")
        #expect(sent.headers["Accept"] == "application/json")
        let information = try #require(sent.headers["X-Device-Info"].flatMap { Data(base64Encoded: $0) })
        #expect(
            String(decoding: information, as: UTF8.self)
                == #"{"applicationId":"com.example.one","connectionType":"LAN","model":"Box","osFamily":"Linux","osName":"Linux","primaryHardwareType":"Desktop"}"#
        )
    }

    @Test("The app's options are sent with every call, except those no header can carry")
    func options() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration))
        let request = world.request(nil) { options in
            options.visitorID = "visitor"
            options.applicationProfile = "TV & more"
            options.client.userAgent = "News/1"
            try? options.set(["device_info": "e30="])
        }
        _ = try await backEnd.configuration(request)
        let sent = try sent()
        #expect(sent.call == "GET /api/v2/REQ/configuration?profile=TV%20%26%20more")
        #expect(sent.headers["AP-Visitor-Identifier"] == "visitor" && sent.headers["User-Agent"] == "News/1")
        #expect(sent.headers["X-Device-Info"] == "e30=")
        _ = try await backEnd.configuration(world.request(nil) { $0.visitorID = "a\nEvil: b" })
        #expect(try self.sent().headers["AP-Visitor-Identifier"] == nil)
    }

    @Test("A session names TV provider, domain and redirect, with an unguessable state")
    func session() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/sessions", world.session("authenticate"))
        let start = try await backEnd.startAuthentication(world.request(), .here)
        let sent = try sent()
        #expect(sent.call == "POST /api/v2/REQ/sessions")
        #expect(names(sent) == ["AP-Device-Identifier", "Accept", "Authorization", "Content-Type", "X-Device-Info"])
        #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
        guard case .page(let url, let attempt) = start else { throw Unexpected() }
        #expect(url == "http://127.0.0.1:1/api/v2/authenticate/REQ/ABC1234" && attempt.id == "ABC1234")
        let state = try #require(attempt.state)
        #expect(state.count == 22)
        #expect(
            sent.body == "mvpd=Cable&domainName=example.com&redirectUrl=adobepass%3A%2F%2Fios.app%3Fstate%3D\(state)"
        )
        #expect(RedirectURL.here.matches("adobepass://ios.app?state=\(state)", state: state))
    }

    @Test("A secure browser's sign-in redirects to the app's own scheme, keeping its query")
    func redirects() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/sessions", world.session("authenticate"))
        var redirect = RedirectURL.here
        redirect.isForSecureBrowser = true
        _ = try await backEnd.startAuthentication(world.request(), redirect)
        #expect(try sent().body.contains("redirectUrl=adbe.x%3A%2F%2Fadobe.com%3Fstate%3D"))
        let own = RedirectURL(plain: "http://127.0.0.1:9/done?a=b", secure: nil, isSecondScreen: false)
        let start = try await backEnd.startAuthentication(world.request(), own)
        guard case .page(_, let attempt) = start, let state = attempt.state else { throw Unexpected() }
        #expect(
            try sent().body.hasSuffix("redirectUrl=http%3A%2F%2F127.0.0.1%3A9%2Fdone%3Fa%3Db%26state%3D\(state)")
        )
        #expect(own.matches("http://127.0.0.1:9/done?a=b&state=\(state)", state: state))
        #expect(!own.matches("http://127.0.0.1:9/done?a=b", state: state))
        let stated = RedirectURL(plain: "http://127.0.0.1:9/done?state=mine", secure: nil, isSecondScreen: false)
        guard case .page(_, let kept) = try await backEnd.startAuthentication(world.request(), stated) else {
            throw Unexpected()
        }
        #expect(kept.state == "mine")
        #expect(try sent().body.hasSuffix("done%3Fstate%3Dmine"))
        #expect(!own.matches("http://127.0.0.1:9/done?a=b&state=other", state: state))
    }

    @Test("On a second screen the session has a code and no redirect")
    func secondScreen() async throws {
        let backEnd = try await world.registered()
        for action in ["resume", "authenticate"] {
            world.pass.answer("POST /REQ/sessions", world.session(action))
            let start = try await backEnd.startAuthentication(world.request(), .secondScreen)
            #expect(try sent().body == "mvpd=Cable&domainName=example.com")
            guard case .code(let code, let expires, let attempt) = start else { throw Unexpected() }
            #expect(code == "ABC1234" && attempt.id == "ABC1234" && attempt.state == nil)
            #expect(expires == world.clock.now + 1800)
        }
    }

    @Test("An incomplete session is resumed once, with all parameters")
    func resumed() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/sessions", world.session("resume"))
        world.pass.answer("POST /REQ/sessions/ABC1234", world.session("authenticate"))
        _ = try await backEnd.startAuthentication(world.request(), .here)
        let calls = world.pass.takeCalls()
        #expect(calls.map(\.call) == ["POST /api/v2/REQ/sessions", "POST /api/v2/REQ/sessions/ABC1234"])
        #expect(calls.first?.body == calls.last?.body)
        world.pass.answer("POST /REQ/sessions/ABC1234", world.session("resume"))
        let error = await failure { () throws(PassBackendError) in
            try await backEnd.startAuthentication(world.request(), .here)
        }
        #expect(error?.code == .invalidAnswer && world.pass.takeCalls().count == 2)
    }

    @Test("A sign-in's profile is requested by code, metadata by TV provider")
    func profiles() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/profiles/code/ABC1234", world.profiles())
        world.pass.answer("GET /REQ/profiles/Cable", world.profiles())
        _ = try await backEnd.profile(world.request(), of: AuthenticationAttempt(id: "ABC1234"))
        let byCode = try sent()
        #expect(byCode.call == "GET /api/v2/REQ/profiles/code/ABC1234" && names(byCode) == Self.usual)
        _ = try await backEnd.userMetadata(world.request())
        #expect(try sent().call == "GET /api/v2/REQ/profiles/Cable")
    }

    @Test("A code or an ID that is a path step is not sent", arguments: [".", ".."])
    func dots(_ text: String) async throws {
        let backEnd = try await world.registered()
        _ = world.pass.takeSent()
        let error = await #expect(throws: PassBackendError.self) {
            try await backEnd.profile(world.request(), of: AuthenticationAttempt(id: text))
        }
        #expect(error?.code == .badRequest)
        #expect(world.pass.takeSent().isEmpty)
    }

    @Test("Without a service token a session tells whether a passive sign-in is possible")
    func passive() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/sessions", world.session("resume"), world.session("authorize", code: nil))
        world.pass.answer("GET /REQ/profiles/Cable", world.profiles())
        #expect(try await backEnd.passiveProfile(world.request()) == nil)
        #expect(try sent().body == "mvpd=Cable&domainName=example.com")
        #expect(try await backEnd.passiveProfile(world.request())?.token.userID == "person")
        #expect(
            world.pass.takeCalls().map(\.call) == ["POST /api/v2/REQ/sessions", "GET /api/v2/REQ/profiles/Cable"]
        )
    }

    @Test("Decisions and media tokens are requested by resource, in JSON")
    func decisions() async throws {
        let backEnd = try await world.registered()
        let resource = #"<rss>"a/b"</rss>"#
        let answer = world.permit(#"<rss>\"a/b\"</rss>"#)
        world.pass.answer("POST /REQ/decisions/authorize/Cable", answer)
        world.pass.answer("POST /REQ/decisions/preauthorize/Cable", .json(#"{"decisions": []}"#))
        let authorized = try await backEnd.authorize(world.request(), resource: resource)
        let sent = try sent()
        #expect(sent.call == "POST /api/v2/REQ/decisions/authorize/Cable")
        #expect(sent.body == #"{"resources":["<rss>\"a/b\"</rss>"]}"#)
        #expect(sent.headers["Content-Type"] == "application/json;charset=utf-8")
        #expect(try await backEnd.mediaToken(world.request(), for: authorized.authorization) == "bWVkaWE=")
        #expect(try self.sent().body == sent.body)
        let question = PreauthorizeRequest.Builder().setResources(["a", "b"]).build()
        _ = try await backEnd.preauthorize(world.request(), question)
        let preauthorized = try self.sent()
        #expect(preauthorized.call == "POST /api/v2/REQ/decisions/preauthorize/Cable")
        #expect(preauthorized.body == #"{"resources":["a","b"]}"#)
    }

    @Test("A log-out names the redirect of its page")
    func logOut() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/logout/Cable", .json(#"{"logouts": {}}"#))
        _ = try await backEnd.logOutURL(world.request(), .here)
        #expect(try sent().call == "GET /api/v2/REQ/logout/Cable?redirectUrl=adobepass%3A%2F%2Fios.app")
    }

    @Test("The service token identifies the user in every call about a user")
    func serviceToken() async throws {
        let backEnd = try await world.registered { $0.serviceToken = { "header.payload.signature" } }
        world.pass.answer("POST /REQ/sessions", world.session("authenticate"))
        world.pass.answer("GET /REQ/profiles/code/1", world.profiles())
        world.pass.answer("GET /REQ/profiles/Cable", world.profiles("serviceTokenSSO"))
        world.pass.answer("POST /REQ/decisions/authorize/Cable", world.permit())
        world.pass.answer("POST /REQ/decisions/preauthorize/Cable", .json(#"{"decisions": []}"#))
        world.pass.answer("GET /REQ/logout/Cable", .json(#"{"logouts": {}}"#))
        let request = world.request()
        _ = try await backEnd.startAuthentication(request, .here)
        _ = try await backEnd.profile(request, of: AuthenticationAttempt(id: "1"))
        #expect(try await backEnd.passiveProfile(request)?.kind == .regular)
        _ = try await backEnd.authorize(request, resource: "news")
        _ = try await backEnd.preauthorize(request, PreauthorizeRequest.Builder().setResources(["a"]).build())
        _ = try await backEnd.logOutURL(request, .here)
        let calls = world.pass.takeCalls()
        #expect(calls.count == 6)
        #expect(calls.allSatisfy { $0.headers["AD-Service-Token"] == "header.payload.signature" })
    }

    @Test("A service token's final line end is removed; one inside is refused")
    func serviceTokenLines() async throws {
        let backEnd = try await world.registered { $0.serviceToken = { "header.payload.signature\r\n" } }
        world.pass.answer("GET /REQ/profiles/Cable", world.profiles())
        _ = try await backEnd.userMetadata(world.request())
        #expect(try sent().headers["AD-Service-Token"] == "header.payload.signature")
        let other = try await world.registered { $0.serviceToken = { "header\nX-Other: 1" } }
        let error = await failure { () throws(PassBackendError) in try await other.userMetadata(world.request()) }
        #expect(error?.code == .badRequest && error?.message.contains("service token") == true)
        #expect(world.pass.takeCalls().isEmpty)
    }

    @Test("If the app provides no service token, no request is sent")
    func noServiceToken() async throws {
        let backEnd = try await world.registered { $0.serviceToken = { throw Unexpected() } }
        let error = await failure { () throws(PassBackendError) in
            try await backEnd.authorize(world.request(), resource: "news")
        }
        #expect(error?.code == .network && world.pass.takeSent().isEmpty)
    }

    @Test("A promotional pass uses the sign-in's identity, or else the settings'")
    func temporaryPassIdentity() async throws {
        let backEnd = try await world.registered { $0.temporaryPassIdentity = ["email": "digest"] }
        world.pass.answer("POST /REQ/decisions/authorize/Cable", world.permit())
        for (data, expected) in [([:], #"{"email":"digest"}"#), (["email": "other"], #"{"email":"other"}"#)] {
            _ = try await backEnd.authorize(world.request(genericData: data), resource: "news")
            let header = try #require(try sent().headers["AP-TempPass-Identity"].flatMap { Data(base64Encoded: $0) })
            #expect(String(decoding: header, as: UTF8.self) == expected)
        }
    }

    @Test("IDs are path components, whatever characters they contain")
    func escaping() async throws {
        let backEnd = try await world.registered()
        _ = await failure { () throws(PassBackendError) in try await backEnd.userMetadata(world.request("A/B ?é")) }
        #expect(try sent().call == "GET /api/v2/REQ/profiles/A%2FB%20%3F%C3%A9")
    }
}

struct Unexpected: Error {}
