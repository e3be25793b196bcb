import FirebaseStandInServer
import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("Input that any page or program may send to the stand-in")
struct HostileInputTests {
    private let project: Project

    init() throws { project = try Project() }

    /// Returns the response's status and checks that the stand-in still responds to another request.
    private func status(
        _ method: HTTPRequest.Method,
        _ path: String,
        type: String = "application/json",
        body: String? = nil
    ) async throws -> Int {
        let url = try #require(URL(string: project.standIn.address + path))
        let headers: HTTPHeaders = body == nil ? [:] : ["Content-Type": type]
        let request = HTTPRequest(method, url, headers: headers, body: body.map { Array($0.utf8) })
        let status = try await project.http.send(request, retrying: .never).status
        #expect(try await project.send(.get, "/stand-in/settings").members.isEmpty == false)
        return status
    }

    @Test(
        "A request for events succeeds, whatever its numbers",
        arguments: ["after=-1", "wait=nan", "wait=-inf", "wait=-1", "after=-9223372036854775808&wait=0", "after=99"]
    )
    func events(_ query: String) async throws {
        #expect(try await status(.get, "/stand-in/events?\(query)") == 200)
    }

    @Test(
        "Numbers outside the range of faults and clocks are refused",
        arguments: [
            ("clock", #"{"advance": 1e300}"#), ("clock", #"{"advance": -1e15}"#),
            ("faults", #"{"kind": "delay", "times": -9223372036854775808}"#),
            ("faults", #"{"kind": "tooMany", "seconds": 1e300}"#), ("faults", #"{"kind": "status", "status": -1}"#),
        ]
    )
    func numbers(_ call: String, _ body: String) async throws {
        #expect(try await status(.post, "/stand-in/\(call)", body: body) == 400)
    }

    @Test(
        "A setting's time beyond the range of clocks is refused",
        arguments: ["idTokenSeconds", "recentSignInSeconds", "codeSeconds"]
    )
    func settings(_ name: String) async throws {
        for number in ["9223372036854774784", "-1", "3153600001"] {
            #expect(try await status(.patch, "/stand-in/settings", body: #"{"\#(name)": \#(number)}"#) == 400)
        }
        #expect(try await status(.patch, "/stand-in/settings", body: #"{"\#(name)": 3153600000}"#) == 200)
        #expect(
            try await status(.post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=KEY", body: "{}") == 200
        )
    }

    @Test(
        "An account call that a web page's form could send creates no account",
        arguments: ["text/plain", "multipart/form-data"]
    )
    func forms(_ type: String) async throws {
        let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=KEY"
        #expect(try await status(.post, path, type: type, body: "{}") == 400)
        #expect(project.standIn.events.all.contains { $0.kind == .signUp } == false)
        #expect(try await status(.post, path, body: "{}") == 200)
    }

    @Test("A body of more than a megabyte is refused")
    func body() async throws {
        let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=KEY"
        let text = #"{"a": ""# + String(repeating: "x", count: 1 << 20) + #""}"#
        #expect(try await status(.post, path, body: text) == 413)
    }
}
