internal import SharedAuth
internal import Testing

/// A text in the place of a JSON Web Token, which no reader may trap or hang on, and none may accept.
package struct HostileToken: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let text: String

    private init(_ title: String, header: String = #"{"alg":"RS256","typ":"JWT"}"#, payload: String = "{}") {
        let parts = [header, payload].map { Base64URL.encode($0.utf8) }
        self.init(title, text: parts.joined(separator: ".") + ".AAAA")
    }

    private init(_ title: String, text: String) { (testDescription, self.text) = (title, text) }

    /// Foundation's decoder traps on 513 open arrays before a carriage return (Swift 6.3).
    private static let nested = String(repeating: "[", count: 513) + "\r"

    package static let all = [
        HostileToken("513 arrays as the header", header: nested),
        HostileToken("513 arrays in the header", header: #"{"alg":"RS256","kid":"# + nested),
        HostileToken("513 arrays as the claims", payload: nested),
        HostileToken("513 arrays in the claims", payload: #"{"sub":"# + nested),
        HostileToken("513 objects", header: String(repeating: #"{"a":"#, count: 513) + "\r"),
        HostileToken("50000 arrays", header: String(repeating: "[", count: 50_000)),
        HostileToken("an algorithm twice", header: #"{"alg":"RS256","alg":"none"}"#),
        HostileToken("no algorithm", header: #"{"alg":"none"}"#),
        HostileToken("an algorithm that is no text", header: #"{"alg":{"a":[]}}"#),
        HostileToken("a shared secret", header: #"{"alg":"HS256"}"#),
        HostileToken("critical extensions", header: #"{"alg":"RS256","crit":["b64"],"b64":false}"#),
        HostileToken("a number out of range", header: #"{"alg":1e999999}"#),
        HostileToken("half a surrogate pair", header: #"{"alg":"\ud800"}"#),
        HostileToken("an empty header", text: ".e30.AAAA"),
        HostileToken("dots", text: String(repeating: ".", count: 10_000)),
        HostileToken("one part", text: "AAAA"),
        HostileToken("300 KiB", text: "e30.e30." + String(repeating: "AAAA", count: 75 << 10)),
        HostileToken("no Base64URL", text: "é.\u{1F600}.=="),
    ]
}
