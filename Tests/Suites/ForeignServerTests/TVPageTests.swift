import BrowserFlow
import Foundation
import LoopbackServer
import SharedAuth
import TestSupport
import Testing

@testable import PassStandInServer

/// The pages of the stand-in for TV sign-in, in Chromium.
@Suite(.serialized)
struct TVPageTests {
    private let server: LoopbackServer
    private let state: ServerState

    init() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver") else {
            print("Test \"\(Test.current?.displayName ?? "")\" is not run: chromium-driver is not installed.")
            try Test.cancel("chromium-driver is not installed")
        }
        var state = ServerState(key: try ServerKey(), statements: SoftwareStatements(agreed: []))
        for session in ["PAGE234", "CODE234"] {
            state.sessions[session] = LoginSession(
                code: session,
                id: session,
                requestor: "ExampleNews",
                caller: Caller(client: "app", fingerprint: "device", subject: nil, identity: nil),
                begins: Date()
            )
        }
        self.state = state
        server = try Self.serve(PassService(state))
    }

    private static func serve(_ service: PassService) throws -> LoopbackServer {
        try LoopbackServer(named: "PassStandIn") { await service.answer($0) }
    }

    private var picture: String { ProcessInfo.processInfo.environment["FOREIGN_LOGS"].map { "\($0)/tv" } ?? "" }

    @Test("After a wrong password a user signs in, and the browser returns to the app")
    func signIn() async throws {
        let listener = try RedirectListener()
        var state = state
        state.sessions["PAGE234"]?.mvpd = "Cable"
        state.sessions["PAGE234"]?.redirectURL = "\(listener.redirectURI.absoluteString)?state=abc"
        let server = try Self.serve(PassService(state))
        async let answer = listener.redirect(matching: "abc", timeout: .seconds(120))
        let title = try await PersonProgram.act(
            "pages",
            "\(server.address)/api/v2/authenticate/ExampleNews/PAGE234",
            picture,
            "until Sign in to watch",
            "picture login",
            "fill input[name=username] viewer",
            "fill input[name=password] wrong\u{E007}",
            "until user name or password is wrong",
            "picture wrong",
            "fill input[name=password] \(ServerState.password)\u{E007}",
            "until Back to the app",
            "picture back"
        )
        #expect(title.contains("Back to the app"))
        #expect(try await answer["state"] == "abc")
    }

    @Test("A user enters a television's code, chooses the TV provider and signs in")
    func secondScreen() async throws {
        let title = try await PersonProgram.act(
            "pages",
            "\(server.address)/activate",
            picture,
            "fill #code code234",
            "picture code",
            "click button",
            "until Choose your TV provider",
            "click input[value=LineUp]",
            "picture choice",
            "click button",
            "until Grove Satellite account",
            "fill #username viewer",
            "fill #password \(ServerState.password)\u{E007}",
            "until television continues",
            "picture activated"
        )
        #expect(title.contains("You are signed in"))
    }
}
