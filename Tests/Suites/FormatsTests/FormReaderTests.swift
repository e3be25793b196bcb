import Testing

@testable import Formats

struct FormReaderTests {
    @Test(
        "A form is read, and other text is none",
        arguments: [
            ("a=1&b=2", ["a": "1", "b": "2"]), ("a=", ["a": ""]), ("a=b=c", ["a": "b=c"]),
            ("a=x+y%20z%C3%bc", ["a": "x y z\u{FC}"]), ("a=1&", ["a": "1"]), ("a%5B0%5D=1", ["a[0]": "1"]),
            ("", nil), ("&", nil), ("a", nil), ("=1", nil), ("a=1&a=2", nil), ("a=%", nil), ("a=%4", nil),
            ("a=%zz", nil), ("a=%FF", nil), ("a=b c", nil), ("<p>a=b</p> ", nil), ("a=\u{FC}", nil),
        ] as [(String, [String: String]?)]
    )
    func fields(_ text: String, _ fields: [String: String]?) {
        #expect(FormReader.fields(text.utf8) == fields)
    }

    @Test("A form of too many fields is none")
    func many() {
        let fields = (0..<1000).map { "a\($0)=1" }
        #expect(FormReader.fields(fields.prefix(200).joined(separator: "&").utf8)?.count == 200)
        #expect(FormReader.fields(fields.joined(separator: "&").utf8) == nil)
    }
}
