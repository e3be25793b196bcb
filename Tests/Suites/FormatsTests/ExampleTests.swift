import Formats
import FoundationEssentials
import JSONWebSignature
import TestSupport
import Testing

/// Tests the examples of RFC 7515 (appendix A), RFC 7520 (section 4) and RFC 8037 (appendix A).
struct ExampleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let json: JSONValue

        var testDescription: String { json["source"]?.string ?? "" }
        var token: String { json["token"]?.string ?? "" }

        static let all: [Example] = {
            let file = Checkout.root.appending(path: "Tests/Fixtures/JWS/examples.json")
            guard let bytes = try? Data(contentsOf: file), case .array(let values)? = JSONValue(bytes: bytes) else {
                return []
            }
            return values.map(Example.init)
        }()
    }

    @Test("All examples can be read")
    func count() { #expect(Example.all.count == 9) }

    @Test("An example is verified with its key, and has its payload", arguments: Example.all)
    func verified(_ example: Example) throws {
        let key = try JSONWebKey(#require(example.json["key"]))
        let token = try #require(key.token(example.token))
        #expect(String(decoding: token.payload, as: UTF8.self) == example.json["payload"]?.string)
        #expect(key.thumbprint == example.json["thumbprint"]?.string)
    }

    @Test("An example with one character changed is refused", arguments: Example.all)
    func altered(_ example: Example) throws {
        let key = try JSONWebKey(#require(example.json["key"]))
        for place in example.token.indices where example.token[place] != "." {
            var text = example.token
            text.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
            #expect(
                key.token(text) == nil,
                "changed: character \(example.token.distance(from: text.startIndex, to: place))"
            )
        }
    }

    @Test("An example is refused with the keys of the others")
    func otherKeys() throws {
        for example in Example.all {
            for other in Example.all where other.json["thumbprint"] != example.json["thumbprint"] {
                #expect(try JSONWebKey(#require(other.json["key"])).token(example.token) == nil)
            }
        }
    }
}
