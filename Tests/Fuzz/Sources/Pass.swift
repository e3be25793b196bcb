@testable import PassAuth

/// Tokens of Adobe Pass; and the bytes as the base64 that media tokens are.
func fuzzPassXML(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? AuthenticationToken(fragment: text)
    _ = try? AuthorizationToken(fragment: text)
    _ = try? MediaToken(base64: text)
    _ = try? TokenFragment(text, root: "shortAuthorizationToken")
}
