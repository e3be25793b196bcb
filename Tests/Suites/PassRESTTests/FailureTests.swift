import Foundation
import SharedAuth
import SharedAuthHTTP
import Testing

@testable import PassAuth
@testable import PassREST

/// How the library reads refusals, invalid responses and missing responses.
@Suite(.timeLimit(.minutes(2)))
struct FailureTests {
    private let world = PassFixture()

    private static let authorize = "POST /REQ/decisions/authorize/Cable"

    /// Returns the error of an authorization that gets this response.
    private func failure(_ response: HTTPResponse) async throws -> PassBackendError? {
        let backEnd = try await world.registered()
        world.pass.answer(Self.authorize, response)
        return await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.authorize(world.request(), resource: "news")
        }
    }

    /// The catalogue of the server's error codes and statuses, with the error that each becomes.
    static let catalogue: [(code: String, status: Int, expected: PassBackendError.Code)] = [
        ("invalid_parameter_service_provider", 400, .invalidRequestor), ("invalid_requestor", 400, .invalidRequestor),
        ("invalid_parameter_mvpd", 400, .notFound), ("invalid_integration", 400, .notFound),
        ("unknown_integration", 412, .notFound), ("invalid_parameter_domain_name", 400, .badDomain),
        ("invalid_parameter_code", 400, .codeExpired), ("invalid_authentication_session", 400, .codeExpired),
        ("invalid_parameter_resources", 400, .malformedResource), ("missing_resource", 400, .malformedResource),
        ("malformed_authz_request", 400, .malformedResource), ("too_many_resources", 403, .tooManyResources),
        ("invalid_parameter_redirect_url", 400, .badRequest), ("invalid_parameter_partner", 400, .badRequest),
        // A header that was stripped on the way is not evidence about the device.
        ("invalid_header_device_identifier", 400, .badRequest),
        ("invalid_header_device_identifier", 403, .deviceMismatch), ("invalid_device_id", 400, .deviceMismatch),
        ("invalid_header_device_info", 400, .badRequest), ("invalid_device_info", 400, .badRequest),
        ("invalid_header_identity_for_temporary_access", 400, .badRequest),
        ("invalid_header_pfs_provider_id_mismatch", 400, .badRequest),
        ("authenticated_profile_missing", 403, .notAuthenticated),
        ("authenticated_profile_expired", 403, .notAuthenticated),
        ("authenticated_profile_invalidated", 403, .notAuthenticated),
        ("authentication_session_missing", 412, .notAuthenticated),
        ("authentication_session_expired", 412, .notAuthenticated),
        ("authentication_session_invalidated", 403, .notAuthenticated),
        ("authentication_session_issuer_mismatch", 400, .notAuthenticated),
        ("preauthorization_authentication_session_missing", 412, .notAuthenticated),
        ("authorization_denied_by_session_invalidated", 403, .notAuthenticated),
        ("identity_not_recognized_by_mvpd", 403, .notAuthenticated),
        ("temporary_access_duration_limit_exceeded", 403, .temporaryPassExpired),
        ("temporary_access_resources_limit_exceeded", 403, .temporaryPassExpired),
        ("authorization_denied_by_mvpd", 403, .denied), ("authorization_denied_by_parental_controls", 403, .denied),
        ("authorization_denied_by_hba_policies", 403, .denied), ("authorization_not_found", 404, .denied),
        ("authorization_expired", 410, .denied), ("preauthorization_denied_by_mvpd", 403, .denied),
        ("authorization_denied_by_degradation_rule", 403, .deniedByDegradation),
        ("network_received_error", 403, .providerUnreachable),
        ("network_connection_timeout", 403, .providerUnreachable),
        ("maximum_execution_time_exceeded", 403, .providerUnreachable), ("internal_error", 500, .server),
        ("internal_server_error", 500, .server), ("invalid_configuration_temporary_access", 500, .server),
        ("invalid_configuration_platform", 500, .server), ("something_new", 403, .denied),
        ("something_new", 400, .badRequest), ("something_new", 410, .notFound), ("something_new", 412, .badRequest),
    ]

    @Test("Each error of the catalogue becomes the documented back-end error", arguments: catalogue)
    func catalogued(_ row: (code: String, status: Int, expected: PassBackendError.Code)) async throws {
        let top = try #require(try await failure(.error(row.code, row.status)))
        #expect(top.code == row.expected)
        #expect(top.serverStatus?.code == row.code && top.serverStatus?.status == row.status)
        // The same error within a decision, and within `error`.
        let error = #"{"action": "none", "status": \#(row.status), "code": "\#(row.code)", "message": "m"}"#
        let item = #"{"decisions": [{"resource": "news", "authorized": false, "error": \#(error)}]}"#
        #expect(try await failure(.json(item))?.code == row.expected)
        #expect(try await failure(.json(#"{"error": \#(error)}"#, row.status))?.code == row.expected)
    }

    @Test("A refusal's message is the TV provider's own, or empty")
    func words() async throws {
        let refusal = try await failure(.error("authorization_denied_by_mvpd", details: "Not in your plan."))
        #expect(refusal?.message == "Not in your plan.")
        #expect(try await failure(.error("authorization_denied_by_mvpd"))?.message == "")
        #expect(try await failure(.error("internal_server_error", 500))?.message == "the message")
        let silent = #"{"decisions": [{"resource": "news", "authorized": false}]}"#
        #expect(try await failure(.json(silent)) == PassBackendError(.denied))
    }

    @Test("Too many calls are throttled until the time that the server names")
    func throttled() async throws {
        let page: HTTPHeaders = ["Content-Type": "text/html", "Retry-After": "7"]
        let error = try await failure(HTTPResponse(status: 429, headers: page, body: Array("<html>".utf8)))
        #expect(error?.code == .throttled && error?.retryAfter == .seconds(7))
        #expect(try await failure(HTTPResponse(status: 429))?.retryAfter == nil)
        // The request is not repeated.
        #expect(world.pass.takeSent().count { $0.call.contains("authorize") } == 1)
        world.pass.change { $0.registrations = [HTTPResponse(status: 429)] }
        let backEnd = try world.backEnd("com.example.other")
        let registration = await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.register("s", world.options)
        }
        #expect(registration?.code == .throttled)
    }

    @Test(
        "A response that is not from Pass is a documented error",
        arguments: [
            (200, "", .invalidAnswer), (200, "{", .invalidAnswer), (200, "[]", .invalidAnswer),
            (200, #"{"decisions": ["#, .invalidAnswer), (200, "{}", .invalidAnswer),
            (200, "\u{0}\u{1}", .invalidAnswer),
            (200, #"{"decisions": [{"resource": "news"}]}"#, .invalidAnswer),
            (200, #"{"decisions": [{"resource": "news", "authorized": true}]}"#, .invalidAnswer),
            (200, " <html><body>Welcome to our hotel</body></html>", .network), (511, "<html>", .network),
            (200, "<!DOCTYPE html>", .network), (200, "<rss>", .invalidAnswer),
            (403, "<html>", .network), (404, "<html>", .notFound), (404, "", .notFound), (405, "", .badRequest),
            (500, "oops", .server), (502, "<html>", .server), (504, "", .timedOut), (400, "no", .badRequest),
            (410, "", .notFound), (410, "<html>", .network), (412, "", .badRequest), (412, "{}", .badRequest),
        ] as [(Int, String, PassBackendError.Code)]
    )
    func nonsense(_ status: Int, _ body: String, _ expected: PassBackendError.Code) async throws {
        let error = try await failure(HTTPResponse(status: status, body: Array(body.utf8)))
        #expect(error?.code == expected)
        #expect(error?.message.contains("hotel") != true)
    }

    @Test(
        "A response of the registration endpoints is never about the user",
        arguments: [
            HTTPResponse(status: 410), HTTPResponse(status: 412), .error("authenticated_profile_missing"),
            .error("invalid_device_id", 400), .error("authorization_denied_by_mvpd"),
        ]
    )
    func registrationEndpoints(_ response: HTTPResponse) async throws {
        let personal: Set<PassBackendError.Code> = [.notAuthenticated, .deviceMismatch, .denied, .signedInByOtherApp]
        world.pass.change { $0.tokenAnswers = [response] }
        let backEnd = try world.backEnd()
        let token = await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.register("statement", world.options)
        }
        #expect(!personal.contains(try #require(token?.code)))
        world.pass.change { $0.registrations = [response] }
        let other = try world.backEnd("com.example.other")
        let registration = await PassRESTTests.failure { () throws(PassBackendError) in
            try await other.register("statement", world.options)
        }
        #expect(!personal.contains(try #require(registration?.code)))
    }

    @Test(
        "A request without a response is a documented error",
        arguments: [
            (.unreachable, .network), (.timedOut, .timedOut), (.cutOff, .network), (.tls, .insecure),
            (.badRedirect, .network), (.bodyTooLarge, .invalidAnswer), (.malformedAnswer, .invalidAnswer),
            (.transportMissing, .network), (.cancelled, .network), (.notHTTPS, .insecure),
        ] as [(HTTPError.Code, PassBackendError.Code)]
    )
    func unanswered(_ code: HTTPError.Code, _ expected: PassBackendError.Code) async throws {
        let backEnd = try await world.registered()
        world.pass.change { $0.failure = HTTPError(code, "It failed.", remedy: "Do this.") }
        let error = await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.authorize(world.request(), resource: "news")
        }
        #expect(error?.code == expected && error?.message == "It failed. Do this.")
    }

    @Test("A redirect to a network's login page is an error and is not followed")
    func portal() async throws {
        let backEnd = try await world.registered()
        let redirect = HTTPResponse(status: 302, headers: ["Location": "https://portal.example/login"])
        world.pass.answer("GET /REQ/profiles/Cable", redirect)
        let error = await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.userMetadata(world.request())
        }
        #expect(error?.code == .network && world.pass.takeSent().count == 1)
    }

    @Test("A sign-in of another app's client is not this app's, but has not ended")
    func otherApp() async throws {
        let backEnd = try await world.registered()
        world.pass.answer(Self.authorize, .error("authenticated_profile_missing"))
        func code(_ client: String?) async throws -> PassBackendError.Code? {
            let token = try AuthenticationToken(
                profileOf: "person",
                requestor: "REQ",
                mvpd: "Cable",
                expires: world.clock.now + 60,
                fingerprint: "f00d",
                client: client.map { RegisteredClient(id: $0, secret: "").digest }
            )
            return await PassRESTTests.failure { () throws(PassBackendError) in
                try await backEnd.authorize(world.request(token: token), resource: "news")
            }?.code
        }
        #expect(try await code("client1") == .notAuthenticated)
        #expect(try await code("client7") == .signedInByOtherApp)
        #expect(try await code(nil) == .notAuthenticated)
        world.pass.answer(Self.authorize, .error("authenticated_profile_expired"))
        #expect(try await code("client7") == .notAuthenticated)
    }

    @Test("An app counts its own client's sign-ins; in a group it counts anyone's")
    func profileClients() async throws {
        let backEnd = try world.backEnd()
        #expect(backEnd.profileClients == .any)
        try await backEnd.register("statement", world.options)
        let own = RegisteredClient(id: "client1", secret: "").digest
        #expect(backEnd.profileClients == .only([own]))
        #expect(!backEnd.profileClients.contains("another") && backEnd.profileClients.contains(nil))
        let member = try await world.registered { $0.serviceToken = { "jws" } }
        #expect(member.profileClients == .any && member.profileClients.contains("another"))
    }

    @Test("Nothing is sent before the app has registered")
    func unregistered() async throws {
        let backEnd = try world.backEnd()
        let error = await PassRESTTests.failure { () throws(PassBackendError) in
            try await backEnd.configuration(world.request(nil))
        }
        #expect(error?.code == .notRegistered && world.pass.takeSent().isEmpty)
    }

    @Test("Printed values contain no secret")
    func redaction() async throws {
        let backEnd = try await world.registered { $0.serviceToken = { "service" } }
        let texts = ["\(backEnd)", String(reflecting: backEnd), "\(RegisteredClient(id: "i", secret: "hidden"))"]
        for text in texts {
            for secret in ["statement", "token1", "secret1", "hidden", "service"] { #expect(!text.contains(secret)) }
        }
    }
}
