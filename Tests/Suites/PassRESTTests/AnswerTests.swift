import Foundation
import SharedAuth
import SharedAuthHTTP
import Testing

@testable import PassAuth
@testable import PassREST

/// How the library reads responses.
@Suite(.timeLimit(.minutes(2)))
struct AnswerTests {
    private let world = PassFixture()

    @Test("A configuration lists the TV providers with their flags, and the first domain")
    func configuration() async throws {
        let backEnd = try await world.registered()
        let date: HTTPHeaders = ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"]
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration, 200, date))
        let found = try await backEnd.configuration(world.request(nil))
        #expect(found.id == "REQ" && found.domain == "example.com" && found.serverDate == world.clock.now)
        #expect(found.mvpds.map(\.id) == ["Cable", "Dish", "Trial"])
        #expect(found.mvpd("Cable")?.displayName == "Cable TV" && found.mvpd("Cable")?.logoURL == "https://logo/1")
        let dish = try #require(found.mvpd("Dish"))
        #expect(dish.displayName == "Dish" && dish.integration.isPerRequestor && dish.integration.isPassive)
        #expect(dish.enablePlatformServices && dish.boardingStatus == .picker && !dish.isTemporary)
        #expect(found.mvpd("Trial")?.isTemporary == true)
        world.pass.answer("GET /REQ/configuration", .json(#"{"requestor": {"id": "REQ"}, "mvpds": [{"id": "Cable"}]}"#))
        #expect(try await backEnd.configuration(world.request(nil)).mvpds.map(\.id) == ["Cable"])
    }

    @Test(
        "A profile becomes an unsigned token that is marked as v2's and of this client",
        arguments: [
            ("regular", AuthenticationProfile.Kind.regular), ("serviceTokenSSO", .regular), ("platformSSO", .regular),
            ("temporary", .temporary), ("degraded", .degraded),
        ]
    )
    func profile(_ type: String, _ kind: AuthenticationProfile.Kind) async throws {
        let backEnd = try await world.registered()
        let attributes =
            #""userID": {"value": "person", "state": "plain"}, "zip": {"value": "x", "state": "enc"}, "maxRating": {"value": {"MPAA": "PG"}, "state": "plain"}, "used_assets": {"value": ["a"]}"#
        world.pass.answer("GET /REQ/profiles/code/1", world.profiles(type, attributes))
        let found = try await backEnd.profile(world.request(), of: AuthenticationAttempt(id: "1"))
        let profile = try #require(found)
        #expect(profile.kind == kind)
        let token = profile.token
        #expect(token.isFromProfile && token.profileClient == RegisteredClient(id: "client1", secret: "").digest)
        #expect(token.userID == "person" && token.requestor == "REQ" && token.mvpd == "Cable")
        #expect(token.expires == world.clock.now + 3600 && token.fingerprint == "f00d")
        #expect(!token.isSigned(by: try TokenSigningKey().publicKey))
        let metadata = try #require(profile.userMetadata)
        #expect(
            String(decoding: metadata, as: UTF8.self)
                == #"{"data":{"maxRating":{"MPAA":"PG"},"used_assets":["a"],"userID":"person","zip":"x"},"encrypted":["zip"],"updated":1800000000}"#
        )
    }

    @Test("A missing profile is not a failure, but an incomplete one is")
    func noProfile() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/profiles/code/1", .json(#"{"profiles": {}}"#))
        let attempt = AuthenticationAttempt(id: "1")
        #expect(try await backEnd.profile(world.request(), of: attempt) == nil)
        for half in [
            "{}", #"{"profiles": {"Cable": {"type": "regular"}}}"#,
            #"{"profiles": {"Cable": {"notAfter": 1900000000000, "attributes": {"userID": {"value": " a"}}}}}"#,
        ] {
            world.pass.answer("GET /REQ/profiles/code/1", .json(half))
            let error = await failure { () throws(PassBackendError) in
                try await backEnd.profile(world.request(), of: attempt)
            }
            #expect(error?.code == .invalidAnswer, "\(half)")
        }
    }

    @Test(
        "The user ID is a text, a number, or the TV provider's own ID",
        arguments: [
            (#""userID": {"value": "person"}, "upstreamUserID": {"value": "other"}"#, "person"),
            (#""userID": {"value": 12345678901}"#, "12345678901"),
            (#""userID": {"value": "x", "state": "enc"}, "upstreamUserID": {"value": "other"}"#, "other"),
            (#""upstreamUserID": {"value": 7}"#, "7"),
        ]
    )
    func userID(_ attributes: String, _ expected: String) async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/profiles/code/1", world.profiles("regular", attributes))
        let profile = try await backEnd.profile(world.request(), of: AuthenticationAttempt(id: "1"))
        #expect(profile?.token.userID == expected)
    }

    @Test("Profiles without an ID belong to one user of this client and device")
    func namelessProfile() async throws {
        let backEnd = try await world.registered()
        var ids: [String] = []
        for attributes in ["", #""userID": {"value": "x", "state": "enc"}"#, #""userID": {"value": true}"#] {
            world.pass.answer("GET /REQ/profiles/code/1", world.profiles("regular", attributes))
            let profile = try await backEnd.profile(world.request(), of: AuthenticationAttempt(id: "1"))
            ids.append(try #require(profile?.token.userID))
        }
        #expect(Set(ids).count == 1 && ids[0].count == 64)
    }

    @Test("A sign-in that needs no user returns its profile immediately")
    func authorized() async throws {
        let backEnd = try await world.registered()
        let session = world.session("authorize", code: nil, url: "/api/v2/REQ/decisions/authorize/Cable")
        world.pass.answer("POST /REQ/sessions", session)
        for (type, kind) in [("temporary", AuthenticationProfile.Kind.temporary), ("degraded", .degraded)] {
            world.pass.answer("GET /REQ/profiles/Cable", world.profiles(type))
            guard case .signedIn(let profile) = try await backEnd.startAuthentication(world.request(), .here) else {
                throw Unexpected()
            }
            #expect(profile.kind == kind)
        }
        world.pass.answer("GET /REQ/profiles/Cable", .error("temporary_access_duration_limit_exceeded"))
        let error = await failure { () throws(PassBackendError) in
            try await backEnd.startAuthentication(world.request(), .here)
        }
        #expect(error?.code == .temporaryPassExpired)
    }

    @Test("A decision tells whether it comes from a temporary pass or degradation")
    func sources() async throws {
        let backEnd = try await world.registered()
        for (source, kind) in [
            ("mvpd", AuthenticationProfile.Kind.regular), ("temppass", .temporary), ("degradation", .degraded),
            ("dummy", .regular),
        ] {
            world.pass.answer("POST /REQ/decisions/authorize/Cable", world.permit(source: source))
            let answer = try await backEnd.authorize(world.request(), resource: "news")
            #expect(answer.kind == kind && answer.mediaToken == "bWVkaWE=")
            #expect(answer.authorization.expires == world.clock.now + 600)
            #expect(answer.authorization.resource == "news" && answer.authorization.fingerprint == "f00d")
        }
    }

    @Test("A decision for another resource, or without a media token, is invalid")
    func otherDecision() async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/decisions/authorize/Cable", world.permit("sports"))
        let request = world.request()
        #expect(
            await failure { () throws(PassBackendError) in try await backEnd.authorize(request, resource: "news") }?
                .code
                == .invalidAnswer
        )
        world.pass.answer("POST /REQ/decisions/authorize/Cable", world.permit(media: ""))
        let authorization = try await backEnd.authorize(request, resource: "news").authorization
        #expect(
            await failure { () throws(PassBackendError) in try await backEnd.mediaToken(request, for: authorization) }?
                .code == .invalidAnswer
        )
    }

    @Test("A preauthorization has a decision per resource, with the server's details")
    func preauthorized() async throws {
        let backEnd = try await world.registered()
        world.pass.answer(
            "POST /REQ/decisions/preauthorize/Cable",
            .json(
                #"{"decisions": [{"resource": "a", "authorized": true}, {"resource": "b", "authorized": false, "error": {"action": "none", "status": 403, "code": "preauthorization_denied_by_mvpd", "message": "no", "details": "Not in your plan.", "helpUrl": "https://help", "trace": "t"}}]}"#
            )
        )
        let question = PreauthorizeRequest.Builder().setResources(["a", "b"]).build()
        let decisions = try await backEnd.preauthorize(world.request(), question)
        var status = PreauthorizeResponse.Status(
            status: 403,
            code: "preauthorization_denied_by_mvpd",
            message: "no",
            action: "none"
        )
        (status.details, status.helpUrl, status.trace) = ("Not in your plan.", "https://help", "t")
        #expect(decisions == [.init(id: "a", authorized: true), .init(id: "b", authorized: false, error: status)])
    }

    @Test(
        "A log-out has a page if the TV provider has one",
        arguments: [
            (#"{"actionName": "logout", "actionType": "interactive", "url": "/out"}"#, "http://127.0.0.1:1/out"),
            (
                #"{"actionName": "logout", "actionType": "interactive", "url": "https://sp/out?a=b"}"#,
                "https://sp/out?a=b"
            ),
            (#"{"actionName": "partner_logout", "actionType": "partner_interactive", "url": "/out"}"#, nil),
            (#"{"actionName": "complete", "actionType": "none"}"#, nil), (#"{"actionName": "invalid"}"#, nil),
        ] as [(String, String?)]
    )
    func logOut(_ action: String, _ page: String?) async throws {
        let backEnd = try await world.registered()
        world.pass.answer("GET /REQ/logout/Cable", .json(#"{"logouts": {"Cable": \#(action)}}"#))
        #expect(try await backEnd.logOutURL(world.request(), .here) == page)
    }

    @Test(
        "An insecure page is not shown",
        arguments: ["http://sp/login", "javascript:alert(1)", "//sp/login"]
    )
    func insecurePage(_ url: String) async throws {
        let backEnd = try await world.registered()
        world.pass.answer("POST /REQ/sessions", world.session("authenticate", url: url))
        let error = await failure { () throws(PassBackendError) in
            try await backEnd.startAuthentication(world.request(), .here)
        }
        #expect(error.map { [.insecure, .invalidAnswer].contains($0.code) } == true)
    }

    @Test("A second screen looks up by code what a sign-in lacks, and resumes it")
    func codeSession() async throws {
        let backEnd = try await world.registered()
        world.pass.answer(
            "GET /REQ/sessions/ABC1234",
            .json(
                #"{"existingParameters": {"mvpd": "Cable", "serviceProvider": "REQ"}, "missingParameters": ["domain", "redirectUrl"], "notBefore": "1000", "notAfter": "61000"}"#
            )
        )
        let device = try DeviceIdentity.custom("tablet")
        let session = try await backEnd.session(withCode: "ABC1234", of: "REQ", on: device)
        #expect(session.mvpd == "Cable" && session.missingParameters == ["domainName", "redirectUrl"])
        #expect(session.expires == world.clock.now + 60 && !"\(session)".contains("ABC1234"))
        world.pass.answer("POST /REQ/sessions/ABC1234", world.session("authenticate"))
        _ = world.pass.takeSent()
        let page = try await backEnd.resume(session, domain: "example.com", redirectURL: "https://done", on: device)
        #expect(page == "http://127.0.0.1:1/api/v2/authenticate/REQ/ABC1234")
        #expect(
            world.pass.takeSent().map(\.body) == ["mvpd=Cable&domainName=example.com&redirectUrl=https%3A%2F%2Fdone"]
        )
        world.pass.answer("GET /REQ/sessions/ABC1234", .error("invalid_authentication_session", 400))
        let error = await failure { () throws(PassBackendError) in
            try await backEnd.session(withCode: "ABC1234", of: "REQ", on: device)
        }
        #expect(error?.code == .codeExpired)
    }
}
