import Dispatch
import Foundation
import Glibc
import SharedAuth
import Synchronization
import TestSupport

/// As much of Firebase as the tool's verbs need, on this machine: the tool speaks to it as to an emulator.
///
/// It answers on a thread of its own, as the tests wait for the tool on those that tasks run on.
final class SmallFirebase: Sendable {
    struct Account: Sendable {
        var email: String?
        var password: String?
        var providers: [String] = []
        var hasFactor = false
    }

    struct State: Sendable {
        var accounts: [String: Account] = [:]
        var requests: [String] = []
        /// By the end of the path, a word that it refuses with.
        var refusals: [String: String] = [:]
        /// By the end of the path, what else it answers with.
        var others: [String: String] = [:]
        fileprivate var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    /// How `--emulator` names it.
    var address: String { "127.0.0.1:\(port)" }

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, isBound) = unsafe withUnsafeMutablePointer(to: &address) { [listener] address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let isBound = unsafe bind(listener, address, size) == 0
                unsafe getsockname(listener, address, &size)
                return (listener, isBound)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound, listen(listener, 16) == 0 else { throw NoServer() }
        DispatchQueue(label: "small-firebase").async { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else {
                    close(listener)
                    return
                }
                self.serve(connection)
                close(connection)
            }
        }
    }

    deinit { stop() }

    /// Answers nobody any more.
    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        // Whoever accepts closes it, and then its number may be another's.
        if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    // MARK: What tests say and see

    /// What was asked: the end of the path and the body.
    var requests: [String] { state.withLock { $0.requests } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Serves an OpenID provider at its address, too, but for the exchange of codes.
    func serveIssuer() -> SmallIssuer {
        let issuer = SmallIssuer(url: "http://\(address)")
        change { $0.others.merge(["openid-configuration": issuer.configuration, "keys": issuer.keys]) { $1 } }
        return issuer
    }

    /// A person's browser, which goes to an address on this machine; what it is shown.
    static func visit(_ address: String) throws -> String {
        guard let url = URL(string: address), let port = url.port else { throw NoServer() }
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var place = loopback(UInt16(port))
        let isThere = unsafe withUnsafeMutablePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe connect(connection, place, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isThere else { throw NoServer() }
        let target = "\(url.path)?\(url.query(percentEncoded: true) ?? "")"
        send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", to: connection)
        var answer: [UInt8] = []
        while let bytes = read(connection) { answer += bytes }
        return String(decoding: answer, as: UTF8.self)
    }

    /// A port at which nobody listens.
    static func freePort() throws -> UInt16 {
        let server = try SmallFirebase()
        server.stop()
        return server.port
    }

    struct NoServer: Error {}

    // MARK: HTTP

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func read(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    private static func send(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    private func serve(_ connection: Int32) {
        var text = ""
        while let bytes = Self.read(connection) {
            text += String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound]
            let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            let expected = length.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
            let body = String(text[end.upperBound...])
            guard body.utf8.count >= expected else { continue }
            let (status, json) = answer(to: String(head.split(separator: " ").dropFirst().first ?? ""), body)
            let lines = [
                "HTTP/1.1 \(status) Status", "Content-Type: application/json", "Content-Length: \(json.utf8.count)",
                "Connection: close", "", json,
            ]
            return Self.send(lines.joined(separator: "\r\n"), to: connection)
        }
    }

    // MARK: Firebase

    private func answer(to target: String, _ body: String) -> (status: Int, json: String) {
        let path = target.prefix { $0 != "?" }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let members = (try? JSONDecoder().decode([String: JSONValue].self, from: Data(body.utf8))) ?? [:]
        return state.withLock { state in
            state.requests.append("\(target.drop { $0 != "?" }.dropFirst()) \(name) \(body)")
            if let word = state.refusals[name] { return Self.refusal(word) }
            if let other = state.others[name] { return (200, other) }
            return state.answer(name, members, body)
        }
    }

    static func refusal(_ word: String) -> (status: Int, json: String) {
        (400, #"{"error": {"code": 400, "message": "\#(word)"}}"#)
    }
}

extension SmallFirebase.State {
    fileprivate mutating func answer(
        _ name: String,
        _ body: [String: JSONValue],
        _ text: String
    ) -> (status: Int, json: String) {
        let holder = body["idToken"]?.string.flatMap { $0.split(separator: ".").dropFirst(2).first.map(String.init) }
        switch name {
        case "accounts:signUp", "accounts:signInWithIdp":
            let uid = holder ?? "uid-\(accounts.count + 1)"
            var account = accounts[uid] ?? SmallFirebase.Account()
            if let email = body["email"]?.string {
                (account.email, account.password) = (email, body["password"]?.string)
                account.providers.append("password")
            }
            if name == "accounts:signInWithIdp" { account.providers.append("github.com") }
            accounts[uid] = account
            return tokens(uid)
        case "accounts:signInWithPassword":
            let found = accounts.first {
                $0.value.email == body["email"]?.string && $0.value.password == body["password"]?.string
            }
            guard let found else { return SmallFirebase.refusal("INVALID_LOGIN_CREDENTIALS") }
            if found.value.hasFactor {
                let factor = #"{"mfaEnrollmentId": "f", "totpInfo": {}}"#
                return (200, #"{"mfaPendingCredential": "\#(found.key)", "mfaInfo": [\#(factor)]}"#)
            }
            return tokens(found.key)
        case "mfaSignIn:finalize":
            guard text.contains(#""123456""#) else { return SmallFirebase.refusal("INVALID_CODE") }
            return tokens(body["mfaPendingCredential"]?.string ?? "")
        case "accounts:signInWithCustomToken":
            accounts["eve"] = SmallFirebase.Account()
            return tokens("eve")
        case "accounts:lookup":
            guard let uid = holder, let account = accounts[uid] else { return SmallFirebase.refusal("USER_NOT_FOUND") }
            let providers = account.providers.map { #"{"providerId": "\#($0)", "rawId": "x"}"# }
            let email = account.email.map { #""email": "\#($0)", "passwordHash": "x","# } ?? ""
            return (
                200,
                #"{"users": [{\#(email) "localId": "\#(uid)", "providerUserInfo": [\#(providers.joined(separator: ","))]}]}"#
            )
        case "accounts:createAuthUri":
            let back = body["continueUri"]?.string ?? ""
            return (200, #"{"authUri": "http://127.0.0.1:1/page?redirect_uri=\#(back)&state=s-1", "sessionId": "S"}"#)
        case "token":
            guard let uid = text.split(separator: "refresh-").dropFirst().first else {
                return SmallFirebase.refusal("MISSING_REFRESH_TOKEN")
            }
            let idToken = Self.idToken(String(uid))
            return (
                200,
                #"{"id_token": "\#(idToken)", "refresh_token": "refresh-\#(uid)", "expires_in": "3600", "user_id": "\#(uid)"}"#
            )
        default: return (200, #"{"email": "ada@example.com", "requestType": "PASSWORD_RESET"}"#)
        }
    }

    private func tokens(_ uid: String) -> (status: Int, json: String) {
        (
            200,
            #"{"localId": "\#(uid)", "idToken": "\#(Self.idToken(uid))", "refreshToken": "refresh-\#(uid)", "expiresIn": "3600"}"#
        )
    }

    /// An unsigned token, whose last part names the user.
    private static func idToken(_ uid: String) -> String {
        let isAnonymous = uid == "uid-1" ? "anonymous" : "password"
        let claims =
            #"{"sub":"\#(uid)","iat":1000,"exp":4600,"iss":"https://securetoken.google.com/p","firebase":{"sign_in_provider":"\#(isAnonymous)"}}"#
        let text = Data(claims.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "eyJhbGciOiJub25lIn0.\(text).\(uid)"
    }
}
