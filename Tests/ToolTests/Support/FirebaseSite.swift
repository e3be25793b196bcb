import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import FirebaseStandInServer
@testable import LoopbackServer

/// The stand-in for Firebase on this machine: the tool speaks to it as to an emulator, and a test sees what it asked.
final class FirebaseSite: Sendable {
    private struct State {
        var requests: [String] = []
        var answered: [String: JSONObject] = [:]
        /// By the end of the path, what is answered instead.
        var answers: [String: ServedAnswer] = [:]
    }

    private final class Log: Sendable {
        let state = Mutex(State())
    }

    private let clock = TestClock(Date())
    private let project: Project
    private let server: LoopbackServer
    private let log = Log()
    /// What the authenticator app has that belongs to accounts with a second factor.
    private let secret = TOTP.newSecret()

    init() async throws {
        // Made now: the tests wait for the tool on the threads on which it would be made later.
        _ = try await KeyRing.shared.key(.tokenService)
        project = Project(id: "p", settings: StandInSettings(), events: EventLog()) { [clock] in clock.now }
        server = try LoopbackServer(named: "Firebase") { [log, project] request in
            let name = request.pathParts.last ?? ""
            let scripted = log.state.withLock { state in
                state.requests.append("key=\(request.query["key"] ?? "") \(name) \(request.text)")
                return state.answers[name]
            }
            if let scripted { return scripted }
            let answer = await project.answer(project.withIssuedToken(request))
            log.state.withLock { $0.answered[name] = JSONObject(answer.body) }
            return answer
        }
    }

    /// How `--emulator` names it.
    var address: String { "127.0.0.1:\(server.port)" }

    /// Answers nobody any more.
    func stop() { server.stop() }

    // MARK: What tests say and see

    /// What was asked: the key, the end of the path and the body.
    var requests: [String] { log.state.withLock { $0.requests } }

    /// What was answered last to calls whose path ends so.
    func lastAnswer(_ name: String) -> JSONObject? { log.state.withLock { $0.answered[name] } }

    func refuse(_ name: String, _ word: String) {
        log.state.withLock { $0.answers[name] = Refusal(word).answer }
    }

    func answer(_ name: String, _ json: String) {
        let answer = ServedAnswer(headers: ["Content-Type": "application/json"], body: Array(json.utf8))
        log.state.withLock { $0.answers[name] = answer }
    }

    /// Serves an OpenID provider at its address, too, but for the exchange of codes.
    func serveIssuer() -> SmallIssuer {
        let issuer = SmallIssuer(url: server.address)
        answer("openid-configuration", issuer.configuration)
        answer("keys", issuer.keys)
        return issuer
    }

    /// A port at which nobody listens.
    static func freePort() throws -> Int {
        let server = try LoopbackServer(named: "nobody") { _ in ServedAnswer() }
        server.stop()
        return server.port
    }

    // MARK: What happens at Firebase

    /// Makes an account with an address and a password.
    func addAccount(_ uid: String, _ email: String, _ password: String, hasFactor: Bool) throws {
        try project.withDirectory { [secret] directory, now throws(Refusal) in
            var account = FirebaseStandInServer.Account(uid: uid, tenantID: nil, at: now)
            account.email = email
            account.password = .init(password, at: now)
            if hasFactor { account.factors = [EnrolledFactor(id: "f", name: nil, secret: secret, enrolled: now)] }
            directory.accounts[uid] = account
        }
    }

    /// What the authenticator app shows.
    var oneTimePassword: String { TOTP.code(secret: secret, at: clock.now) ?? "" }

    /// The code of the last mail.
    var lastCode: String? { try? project.withDirectory { directory, _ throws(Refusal) in directory.codes.last?.code } }

    /// The users, in the order in which they came.
    var uids: [String] {
        let uids = try? project.withDirectory { directory, _ throws(Refusal) in
            directory.accounts.values.sorted { $0.created < $1.created }.map(\.uid)
        }
        return uids ?? []
    }

    /// The user with an address.
    func uid(_ email: String) -> String? {
        try? project.withDirectory { directory, _ throws(Refusal) in
            directory.account(ofEmail: email, tenantID: nil)?.uid
        }
    }

    /// The refresh token that a user's session has.
    func refreshToken(of uid: String) -> String? {
        try? project.withDirectory { directory, _ throws(Refusal) in
            directory.sessions.values.first { $0.uid == uid && !$0.isEnded }?.refreshToken
        }
    }

    /// A custom token, as a back end of the project makes it.
    func customToken(_ uid: String) async throws -> String { try await project.mint(CustomTokenOrder(uid: uid)) }

    /// Whose ID token it is.
    static func holder(of idToken: String) -> String? {
        let parts = idToken.trimmingCharacters(in: .newlines).split(separator: ".")
        return parts.count == 3 ? Base64URL.decode(parts[1].utf8).flatMap { JSONObject($0) }?.string("sub") : nil
    }

    /// Signs a new person in at a page of another service; where the browser is sent from there, and with which query.
    func signIn(at page: String) async throws -> (address: String, query: String) {
        let request = ServedRequest(
            number: 1,
            method: "GET",
            path: "/stand-in/sign-in",
            query: FormFields("\(page.split(separator: "?").last ?? "")&subject=\(UUID())"),
            headers: [:],
            body: [],
            client: "127.0.0.1"
        )
        let location = try #require(await project.answer(request).headers["Location"])
        let parts = location.split(separator: "?", maxSplits: 1).map(String.init)
        try #require(parts.count == 2)
        return (parts[0], parts[1])
    }

    /// A person's browser, which goes to an address on this machine.
    static func visit(_ address: String) async throws {
        let url = try #require(URL(string: address))
        _ = try await HTTPClient().send(HTTPRequest(.get, url), retrying: .never)
    }
}

extension Project {
    /// A request with a token that this project takes, in place of one of an OpenID provider; each is for a new person.
    fileprivate func withIssuedToken(_ request: ServedRequest) -> ServedRequest {
        guard request.path.hasSuffix("accounts:signInWithIdp"), var members = request.json?.members else {
            return request
        }
        let form = FormFields(members["postBody"]?.string ?? "")
        guard let provider = form["providerId"], let token = form["id_token"] else { return request }
        try? withDirectory { directory, _ throws(Refusal) in
            directory.foreignTokens[token] = ForeignIdentity(providerID: provider, subject: token)
        }
        members["postBody"] = .string(
            FormEncoding.encode([(name: "providerId", value: provider), (name: "access_token", value: token)])
        )
        return ServedRequest(
            number: request.number,
            method: request.method,
            path: request.path,
            query: request.query,
            headers: request.headers,
            body: JSONValue.object(members).bytes,
            client: request.client
        )
    }
}
