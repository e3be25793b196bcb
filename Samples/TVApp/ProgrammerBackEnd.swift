import FoundationEssentials
import PassAuth
import SharedAuthHTTP
import Synchronization

/// The programmer's service, simulated in the sample's process; it fetches the stand-in's key.
final class ProgrammerBackEnd: Sendable {
    private let server: String
    private let programmer: String
    private let used = Mutex<Set<String>>([])

    init(server: String, programmer: String) { (self.server, self.programmer) = (server, programmer) }

    /// Accepts a media token if it is authentic, current, for this channel, and not used before.
    func accept(_ mediaToken: String, for channel: String) async throws {
        let key = try TokenPublicKey(pem: try await text(of: "standin/key"))
        let verification = MediaTokenVerifier(publicKey: key, requestor: programmer).verify(
            mediaToken,
            resource: channel
        )
        guard verification.isValid, let id = verification.token?.id, used.withLock({ $0.insert(id).inserted }) else {
            throw Trouble("The back end refuses to play: \(verification.reason ?? "the token was used before").")
        }
        say("The back end says \(verification.status.rawValue).")
    }

    /// Returns a token of the team's service that names the user.
    func serviceToken(for person: String) async throws -> String {
        try await text(of: "standin/service-token/\(person)")
    }

    private func text(of path: String) async throws -> String {
        guard let url = URL(string: "\(server)/\(path)") else { throw Trouble("\(server) is not an address.") }
        let answer = try await HTTPClient().send(HTTPRequest(.get, url), retrying: .idempotent)
        guard answer.isSuccess else { throw Trouble("The team's service returned status \(answer.status).") }
        return String(decoding: answer.body, as: UTF8.self)
    }
}
