import Foundation
import SharedAuth
import SharedAuthHTTP

@testable import PassAuth
@testable import PassREST

/// Reads tokens of Adobe Pass, both plain and in the base64 of media tokens.
func fuzzPassXML(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? AuthenticationToken(fragment: text)
    _ = try? AuthorizationToken(fragment: text)
    _ = try? MediaToken(base64: text)
    _ = try? MediaToken(base64: Data(bytes).base64EncodedString())
    _ = try? TokenFragment(text, root: "shortAuthorizationToken")
}

/// Reads responses of Pass's servers as the response to every call, and a TV provider's metadata about a user.
func fuzzPassAnswers(_ bytes: [UInt8]) {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    for status in [200, 400, 401, 429, 503] {
        let answer = ServerAnswer(HTTPResponse(status: status, headers: [:], body: bytes), at: date)
        _ = (answer.word, answer.refusal)
        guard let object = try? answer.object() else { continue }
        let whole = RESTAnswer(
            object: object,
            date: date + 3600,
            client: RegisteredClient(id: "c", secret: "s"),
            server: PassServer(address: "https://a.example")
        )
        _ = try? SessionAnswer(object)
        _ = try? Profile(of: "Cable", in: whole, at: date)
        _ = try? Decision.all(in: whole, at: date)
        _ = try? PassConfiguration(whole)
    }
    if let kept = UserMetadata.kept(of: Data(bytes)) { _ = UserMetadata(kept) }
}
