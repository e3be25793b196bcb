import Foundation
import PassStandInServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth

extension OneAtATime {
    /// The session as a `User` in real processes: it follows the flows, and its sign-out is the documented log-out.
    struct UserFlowTests {
        private let project: KeyringProject
        private let server: StandIn

        init() throws {
            project = try KeyringProject()
            server = try StandIn(statements: ["statement"])
        }

        /// Starts an app of the team that shows the session as a user and runs the flows of one user.
        private func app(_ id: String, person: String = "ada") async throws -> PassPeerProcess {
            let app = try project.peer(id, "ExampleNews:Cable")
            #expect(try await app.obey("use-auth") == "done")
            #expect(try await app.obey("flows \(server.address) \(person)") == "done")
            try await wait(app, "requestorComplete(1)")
            return app
        }

        /// Reads the process's notifications up to a line with this prefix; returns the rest of that line and the lines
        /// before.
        @discardableResult
        private func wait(
            _ app: PassPeerProcess,
            _ beginning: String
        ) async throws -> (rest: String, before: [String]) {
            var before: [String] = []
            while true {
                let line = try await app.hear()
                if line.hasPrefix(beginning) { return (String(line.dropFirst(beginning.count)), before) }
                before.append(line)
            }
        }

        /// Returns the next user that a process announces.
        private func user(_ app: PassPeerProcess) async throws -> String {
            while true {
                let uid = try await wait(app, "user ").rest
                if uid != "-" { return uid }
            }
        }

        private func location(of page: String) async throws -> String? {
            let url = try #require(URL(string: page))
            let request = HTTPRequest(.get, url)
            let limits = HTTPLimits(exchange: .seconds(60))
            return try await LibsoupTransport.libsoup.send(request, within: limits).headers["Location"]
        }

        private func signIn(_ app: PassPeerProcess) async throws -> String {
            #expect(try await app.obey("sign-in-with Cable") == "done")
            let page = try await wait(app, "page ").rest
            let end = try #require(try await location(of: "\(page)?grant=1"))
            #expect(try await app.obey("came-to \(end)") == "done")
            return try await user(app)
        }

        /// Returns the server's log-out events: whether a user was signed in at each.
        private func logOuts() async throws -> [String] {
            let url = try #require(URL(string: "\(server.address)/control/events"))
            let answer = try await LibsoupTransport.libsoup.send(HTTPRequest(.get, url), within: HTTPLimits())
            guard case .array(let events)? = JSONValue(bytes: answer.body) else {
                return []
            }
            return events.filter { $0["event"]?.string == "logout" }.compactMap { $0["wasSignedIn"]?.string }
        }

        @Test(
            "A sign-in announces the user in both processes, and a sign-out is a log-out"
        )
        func twoProcesses() async throws {
            defer { try? project.sweep() }
            let (news, sport) = (try await app("News"), try await app("Sport"))
            let uid = try await signIn(news)
            #expect(try await user(sport) == uid)
            #expect(try await sport.obey("watch match") == "done")
            try await wait(sport, "token")

            // Signs out in the app that did not sign in; its service token belongs to the same user.
            #expect(try await sport.obey("sign-out") == "done")
            let page = try await wait(sport, "page ").rest
            try await wait(news, "user -")
            #expect(try await logOuts() == ["true"])
            #expect(page.contains("/mvpd/Cable/logout"))
            #expect(try await sport.obey("came-to adobepass://ios.app") == "done")
            try await wait(sport, "loggedOut")

            // No user is signed in at the server either: the next sign-in shows its page again, and the first app
            // showed none.
            #expect(try await news.obey("sign-in-with Cable") == "done")
            let before = try await wait(news, "page ").before
            #expect(!before.contains { $0.hasPrefix("page") || $0 == "loggedOut" })
        }

        @Test("A process killed between redirect and token finds the sign-in after a restart")
        func killed() async throws {
            defer { try? project.sweep() }
            let news = try await app("News")
            #expect(try await news.obey("sign-in-with Cable") == "done")
            let page = try await wait(news, "page ").rest
            _ = try await location(of: "\(page)?grant=1")
            news.child.end()
            let again = try await app("News")
            #expect(try await again.obey("status") == "out")
            #expect(try await again.obey("sign-in-with Cable") == "done")
            // There is no page since the client is the same.
            #expect(try await wait(again, "authentication(1)").before.allSatisfy { !$0.hasPrefix("page") })
        }
    }
}
