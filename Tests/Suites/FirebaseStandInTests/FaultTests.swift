import FirebaseStandInServer
import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Faults at the stand-in, and how the client handles them")
struct FaultTests {
    private static func fault(_ kind: CallFault.Kind, status: Int? = nil, message: String? = nil) -> CallFault {
        var fault = CallFault(kind)
        (fault.status, fault.message) = (status, message)
        return fault
    }

    @Test(
        "A refresh that a fault makes fail keeps the session and works later",
        arguments: [
            (fault(.tooMany), AuthErrorCode.tooManyRequests), (fault(.status, status: 503), .networkError),
            (fault(.cut), .networkError), (fault(.half), .networkError), (fault(.flood), .networkError),
            (fault(.portal), .networkError), (fault(.refusal, message: "PROJECT_NUMBER_MISMATCH"), .invalidAPIKey),
        ]
    )
    func refresh(_ fault: CallFault, _ code: AuthErrorCode) async throws {
        let project = try Project { $0.rotatesRefreshTokens = false }
        let toolkit = project.toolkit()
        let tokens = try await project.signUp().tokens
        project.standIn.add(fault)
        await expectFailure(code) { try await toolkit.refresh(tokens, scopes: []) }
        _ = try await toolkit.refresh(tokens, scopes: [])
        #expect(project.standIn.events.all.count { $0.kind == .fault } == 1)
    }

    @Test(
        "A change whose response is lost has an unknown outcome; here it was made",
        arguments: [CallFault.Kind.cut, .half]
    )
    func lostAnswer(_ kind: CallFault.Kind) async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        project.standIn.add(CallFault(kind, path: "accounts:signUp", after: true))
        await expectFailure(.outcomeUnknown) {
            try await toolkit.createUser(withEmail: "ada@example.com", password: "secret-1", tenantID: nil)
        }
        await expectFailure(.emailAlreadyInUse) {
            try await toolkit.createUser(withEmail: "ada@example.com", password: "secret-1", tenantID: nil)
        }
    }

    @Test("A held call gets its response when released; others get theirs meanwhile")
    func hold() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        project.standIn.add(CallFault(.hold, path: "accounts:signUp"))
        let held = Task { try await toolkit.signInAnonymously(tenantID: nil) }
        _ = await project.standIn.events.first { $0.kind == .fault }
        _ = try await toolkit.signInAnonymously(tenantID: nil)
        #expect(project.count(of: "v1/accounts:signUp") == 1)
        project.standIn.release()
        _ = try await held.value
        #expect(project.count(of: "v1/accounts:signUp") == 2)
    }

    @Test("Settings, faults, the clock, tokens and events are available over HTTP")
    func control() async throws {
        let project = try Project()
        let settings = try await project.send(
            .patch,
            "/stand-in/settings",
            ["idTokenSeconds": .number(60), "passwordPolicy": .object(["minimumLength": .number(9)])]
        )
        #expect(settings.seconds("idTokenSeconds") == 60 && settings.bool("rotatesRefreshTokens") == true)
        #expect(project.standIn.settings.passwordPolicy.minimumLength == 9)
        _ = try await project.send(.post, "/stand-in/faults", ["kind": .string("tooMany"), "path": .string("signUp")])
        await expectFailure(.tooManyRequests) { try await project.toolkit().signInAnonymously(tenantID: nil) }
        // As a form of a web page would send it.
        let asForm: HTTPHeaders = ["Content-Type": "text/plain"]
        let refused = try await project.send(.post, "/stand-in/clock", ["advance": .number(1000)], asForm)
        #expect(refused.refusal == "INVALID_ARGUMENT")
        let before = project.standIn.now
        _ = try await project.send(.post, "/stand-in/clock", ["advance": .number(1000)])
        #expect(project.standIn.now.timeIntervalSince(before) >= 1000)
        let answer = try await project.send(.post, "/stand-in/custom-token", ["uid": .string("u1")])
        let token = try #require(answer.string("token"))
        let credential = AuthCredential(provider: "custom", content: .customToken(token))
        #expect(try await project.toolkit().signIn(with: credential, tenantID: nil).profile.uid == "u1")
        let events = try await project.send(.get, "/stand-in/events?kind=signUp&wait=30")
        #expect(events.objects("events").compactMap { $0.string("uid") } == ["u1"])
        #expect(try await project.send(.patch, "/stand-in/settings", ["idTokenSeconds": .string("x")]).refusal != nil)
        let home = try await project.send(.get, "/")
        #expect(JSONObject(home.members["firebaseStandIn"])?.string("notice")?.contains("not Google's") == true)
    }

    @Test("The responses have the project's clock")
    func date() async throws {
        let project = try Project()
        project.standIn.advanceClock(by: 86_400)
        let response = try await project.page(project.standIn.address)
        let date = try #require(response.date)
        #expect(abs(date.timeIntervalSince(project.standIn.now)) < 60)
    }
}
