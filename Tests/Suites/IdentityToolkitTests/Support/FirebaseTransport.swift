import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport

@testable import FirebaseStandInServer
@testable import LoopbackServer

/// A transport to a stand-in for Firebase in the test's process. A test sees the calls and can set their responses.
final class FirebaseTransport: HTTPTransport {
    /// One request as it was sent.
    struct Sent: Sendable {
        let url: String
        let headers: HTTPHeaders
        let body: [UInt8]

        var json: JSONValue? { JSONValue(bytes: body) }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// The last component of the path, such as `accounts:signUp`.
        var name: String { URL(string: url)?.path.split(separator: "/").last.map(String.init) ?? "" }
    }

    private struct State {
        /// The responses that replace the stand-in's, by the last component of the path.
        var answers: [String: Result<HTTPResponse, HTTPError>] = [:]
        var sent: [Sent] = []
        /// The last responses, by the last component of the path.
        var answered: [String: JSONObject] = [:]
        /// Creates the pages of other services.
        var makePage: (@Sendable (JSONObject) -> HTTPResponse)?
    }

    private let state = Mutex(State())
    private let project: Project

    /// Creates a project that uses this clock.
    init(_ clock: TestClock) {
        var settings = StandInSettings()
        settings.protectsAddresses = false
        settings.allowsDuplicateAddresses = true
        settings.authorizedDomains.append("app.example")
        project = Project(id: "p", settings: settings, events: EventLog()) { clock.now }
    }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let sent = Sent(url: request.url.absoluteString, headers: request.headers, body: request.body ?? [])
        let (scripted, makePage) = state.withLock { state in
            state.sent.append(sent)
            return (state.answers[sent.name], state.makePage)
        }
        if let scripted {
            let response = try scripted.get()
            guard response.body.count <= limits.body else {
                throw HTTPError(.bodyTooLarge, "The answer is too large.", requestWasSent: true)
            }
            return response
        }
        if sent.name == "accounts:createAuthUri", let makePage, let body = JSONObject(sent.body),
            body.members["providerId"] != nil
        {
            return makePage(body)
        }
        // An emulator's address has the host in its path.
        let host = request.url.host() ?? ""
        let answer = await project.answer(
            ServedRequest(
                number: 1,
                method: request.method.rawValue,
                path: host.hasSuffix("googleapis.com") ? "/\(host)\(request.url.path)" : request.url.path,
                query: FormFields(request.url.query(percentEncoded: true) ?? ""),
                headers: request.headers,
                body: await issued(sent),
                client: "127.0.0.1"
            )
        )
        let response = HTTPResponse(status: answer.status, headers: answer.headers, body: described(answer.body, sent))
        state.withLock { $0.answered[sent.name] = JSONObject(response.body) }
        return response
    }

    // MARK: Calls and responses

    func answer(_ name: String, _ response: HTTPResponse?) {
        state.withLock { $0.answers[name] = response.map { .success($0) } }
    }

    func fail(_ name: String, _ error: HTTPError) { state.withLock { $0.answers[name] = .failure(error) } }

    func refuse(_ name: String, _ message: String, status: Int = 400) {
        answer(name, .refusal(message, status: status))
    }

    func pages(_ make: @escaping @Sendable (JSONObject) -> HTTPResponse) { state.withLock { $0.makePage = make } }

    var sent: [Sent] { state.withLock { $0.sent } }
    var names: [String] { sent.map(\.name) }
    func last(_ name: String) -> Sent? { sent.last { $0.name == name } }
    func lastAnswer(_ name: String) -> JSONObject? { state.withLock { $0.answered[name] } }
    func forget() { state.withLock { $0.sent = [] } }

    // MARK: Accounts

    /// The code of the last mail.
    var lastCode: String { withDirectory { directory, _ in directory.codes.last?.code ?? "" } }

    /// Changes an account, or creates one.
    func change(_ uid: String, in tenantID: String? = nil, _ body: @Sendable (inout Account) -> Void) {
        withDirectory { directory, now in
            var account = directory.accounts[uid] ?? Account(uid: uid, tenantID: tenantID, at: now)
            body(&account)
            directory.accounts[uid] = account
        }
    }

    /// Ends all sessions of a user.
    func endSessions(of uid: String) { withDirectory { directory, now in directory.endSessions(of: uid, at: now) } }

    /// Returns the response to any sign-in of a user.
    func signedIn(_ uid: String) async throws -> HTTPResponse {
        let grant = withDirectory { directory, now in directory.begin(uid, by: "custom", at: now) }
        let answer = try await project.answer(Directory.Reply(grant: grant))
        return HTTPResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// Returns the code that an authenticator app shows for a secret.
    func oneTimePassword(_ secret: String) -> String { TOTP.code(secret: secret, at: project.now) ?? "" }

    @discardableResult
    private func withDirectory<Value: Sendable>(_ body: (inout Directory, Date) -> Value) -> Value {
        let value = try? project.withDirectory { directory, now throws(Refusal) in body(&directory, now) }
        guard let value else { preconditionFailure("Nothing throws here.") }
        return value
    }
}

extension FirebaseTransport {
    typealias Account = FirebaseStandInServer.Account

    /// Returns the request's body with tokens that this project accepts. A test names custom tokens `custom-<uid>`, and
    /// tokens of another service by any word, which is also the user's name there.
    private func issued(_ sent: Sent) async -> [UInt8] {
        guard let body = JSONObject(sent.body) else { return sent.body }
        var members = body.members
        switch sent.name {
        case "accounts:signInWithCustomToken":
            guard let token = body.string("token"), token.hasPrefix("custom-") else { return sent.body }
            var order = CustomTokenOrder(uid: String(token.dropFirst("custom-".count)))
            order.tenantID = body.string("tenantId")
            members["token"] = (try? await project.mint(order)).map { .string($0) }
        case "accounts:signInWithIdp" where body.members["pendingToken"] == nil:
            let form = FormFields(body.string("postBody") ?? "")
            let provider = form["providerId"] ?? "github.com"
            guard let person = form["id_token"] ?? form["access_token"] ?? form["code"] else { return sent.body }
            var identity = ForeignIdentity(providerID: provider, subject: person)
            (identity.idToken, identity.accessToken) = (person, "there")
            identity.email = "ada@example.com"
            withDirectory { [identity] directory, _ in directory.foreignTokens[person] = identity }
            members["sessionId"] = nil
            let fields = [(name: "providerId", value: provider), (name: "access_token", value: person)]
            members["postBody"] = .string(FormEncoding.encode(fields))
        default: return sent.body
        }
        return JSONValue.object(members).bytes
    }

    /// Returns a response as Google sends it: with members that some services add, without one that second factors
    /// omit.
    private func described(_ body: [UInt8], _ sent: Sent) -> [UInt8] {
        guard var members = JSONObject(body)?.members else { return body }
        if sent.name == "accounts:signInWithIdp", members["federatedId"] != nil {
            members["screenName"] = .string("ada.l")
            members["rawUserInfo"] = .string(#"{"login": "ada", "id": 7}"#)
            members["oauthExpireIn"] = .number(3599)
        }
        if sent.name.hasPrefix("mfa") { members["expiresIn"] = nil }
        return JSONValue.object(members).bytes
    }

    /// Returns an unsigned token.
    static func token(_ claims: [String: JSONValue]) -> String {
        "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(JSONValue.object(claims).bytes))."
    }
}

extension EnrolledFactor {
    /// Returns a factor whose one-time password is 123456 when a test begins.
    static func phone(_ id: String) -> EnrolledFactor {
        EnrolledFactor(
            id: id,
            name: "Phone",
            secret: "NNVWW2BYGEZTEOJV",
            enrolled: Date(timeIntervalSince1970: 1_767_323_045)
        )
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    static func refusal(_ message: String, status: Int = 400, _ more: String = "") -> HTTPResponse {
        let message = String(decoding: (try? JSONEncoder().encode(message)) ?? Data(), as: UTF8.self)
        return .json(#"{"error": {"code": \#(status), "message": \#(message)\#(more)}}"#, status: status)
    }

    static func page(_ status: Int) -> HTTPResponse {
        let text = "<!doctype html><title>Log in to the guest network</title>"
        return HTTPResponse(status: status, headers: ["Content-Type": "text/html"], body: Array(text.utf8))
    }
}

extension JSONValue {
    /// Parses a JSON text.
    init(json text: String) {
        self = JSONValue(bytes: text.utf8) ?? .string("not JSON: \(text)")
    }
}
