import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import Synchronization
import Testing

@testable import IdentityToolkit

/// The time limits of Firebase's calls.
struct TimeTests {
    /// A transport to a stand-in for Firebase that records the time limit of each call.
    private final class TimedNetwork: HTTPTransport {
        private let firebase: FirebaseTransport
        private let calls = Mutex<[(name: String, time: Duration)]>([])

        init(_ firebase: FirebaseTransport) { self.firebase = firebase }

        func times(of name: String) -> [Duration] {
            calls.withLock { calls in calls.filter { $0.name == name }.map(\.time) }
        }

        func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
            calls.withLock { $0.append((request.url.lastPathComponent, limits.exchange)) }
            return try await firebase.send(request, within: limits)
        }
    }

    @Test("A call ends before Auth's time limit; a call that voids tokens lasts longer")
    func times() async throws {
        let world = FirebaseFixture()
        let network = TimedNetwork(world.firebase)
        let auth = try world.app { $0.transport = network }
        let user = try await auth.signInAnonymously().user
        try await user.link(with: EmailAuthProvider.credential(withEmail: "a@b.example", password: "secret"))
        _ = try await user.getIDToken(forcingRefresh: true)
        try await user.updatePassword(to: "newer password")
        try await user.delete()
        let limit = AuthApp.Options(appID: "com.example.Mail").identityTimeout
        let signUps = network.times(of: "accounts:signUp")
        // The second one adds a password to the account of a session.
        #expect(signUps.count == 2 && signUps[0] < limit && signUps[1] > limit)
        // The first token request has no token to exchange.
        #expect(network.times(of: "token").map { $0 > limit } == [false, true])
        #expect(network.times(of: "accounts:update").map { $0 > limit } == [true])
        for name in ["accounts:lookup", "accounts:delete"] {
            #expect(network.times(of: name).allSatisfy { $0 < limit } && !network.times(of: name).isEmpty)
        }
    }
}
