import Foundation
import Glibc
import TestSupport

/// An OpenID provider on the loopback interface that has a discovery document, and records what is sent to its
/// revocation endpoint.
final class RevocationSite: Sendable {
    private let listener: SilentListener
    private let url: String
    /// The bodies of the requests to revoke a token.
    let revocations = Recorder<String>()

    /// The issuer of the sessions of the client `desktop`.
    var issuer: String { "\(url)#desktop" }

    init() throws {
        listener = try SilentListener()
        url = "http://127.0.0.1:\(listener.port)"
        let (listener, url, revocations) = (listener, url, revocations)
        Thread.detachNewThread {
            while let connection = listener.accepted() {
                Self.answer(connection, url, revocations)
                connection.shutDown()
                close(connection.file)
            }
        }
    }

    deinit { listener.end() }

    private static func answer(_ connection: LocalSocket, _ url: String, _ revocations: Recorder<String>) {
        var head = ""
        while !head.hasSuffix("\r\n\r\n"), let byte = connection.read(1) {
            head += String(decoding: byte, as: UTF8.self)
        }
        let length = head.lowercased().firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        let body = connection.read(length) ?? []
        var answer = ""
        if head.hasPrefix("GET") {
            answer = SmallIssuer(url: url).configuration.dropLast() + #", "revocation_endpoint": "\#(url)/revoke"}"#
        } else {
            revocations.record(String(decoding: body, as: UTF8.self))
        }
        let headers = "Content-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\nConnection: close"
        connection.write(Array("HTTP/1.1 200 OK\r\n\(headers)\r\n\r\n\(answer)".utf8))
    }
}
