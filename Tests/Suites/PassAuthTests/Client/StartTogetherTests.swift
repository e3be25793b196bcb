import Foundation
import PassStandInServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth

extension OneAtATime {
    /// Several processes of one app.
    struct StartTogetherTests {
        private let project: KeyringProject
        private let server: StandIn

        init() throws {
            project = try KeyringProject()
            server = try StandIn(statements: ["statement"])
        }

        @Test("Processes of an app that start together register one client")
        func oneClient() async throws {
            defer { try? project.sweep() }
            // The registration takes so long that all of them find no client.
            _ = try await send(.post, "/control/latency", #"{"endpoint": "register", "seconds": 2}"#)
            let apps = try (1...4).map { _ in try project.peer("News", "ExampleNews:Cable") }
            for app in apps { app.tell("flows \(server.address) ada") }
            for app in apps {
                while try await app.hear() != "requestorComplete(1)" {}
            }
            let answered = try await answered()
            #expect(answered.count { $0 == "register" } == 1)
            #expect(answered.count { $0 == "token" } == 4)
            #expect(answered.count { $0 == "configuration" } == 4)
        }

        /// Returns the endpoint of each response.
        private func answered() async throws -> [String] {
            guard case .array(let events)? = try await send(.get, "/control/events") else { return [] }
            return events.filter { $0["event"]?.string == "answered" }.compactMap { $0["endpoint"]?.string }
        }

        private func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws
            -> JSONValue?
        {
            let url = try #require(URL(string: server.address + path))
            let request = HTTPRequest(
                method,
                url,
                headers: ["Content-Type": "application/json"],
                body: body.map { Array($0.utf8) }
            )
            let answer = try await LibsoupTransport.libsoup.send(request, within: HTTPLimits(exchange: .seconds(60)))
            return JSONValue(bytes: answer.body)
        }
    }
}
