import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import Testing

@Suite("JSON that servers send")
struct JSONReaderTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(bytes: text.utf8) }

    @Test("Every kind of value is read as written")
    func values() {
        let text = #" { "a" : [ null , true , false , -0.5e+2 , "\u00e4\ud83d\ude00\n\/" , {} , [] ] , "" : 0 } "#
        let list: [JSONValue] = [
            .null, .bool(true), .bool(false), .number(-50), .string("ä😀\n/"), .object([:]), .array([]),
        ]
        #expect(read(text) == .object(["a": .array(list), "": .number(0)]))
        for (text, value) in [
            ("1", 1.0), ("-0", 0), ("1E2", 100), ("12345678901234567890", 12_345_678_901_234_567_168),
        ] {
            #expect(read(text) == .number(value))
        }
        #expect(read("\"e\u{301}\"")?.string.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    }

    @Test(
        "Text that is not JSON has no value",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "[1 2]", "01", "+1", "1.", ".5", "1e", "--1", "0x1", "NaN", "1e999",
            "tru",
            "nullx", "\"a", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\u00g0\"", "\"a\nb\"",
            "'a'", "{a:1}",
            "{\"a\":1}}", "\u{FEFF}{}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":1}",
        ]
    )
    func nonsense(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test("Bytes that are not UTF-8 are not read")
    func notText() {
        #expect(JSONValue(bytes: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue(bytes: [0x22, 0xC0, 0x80, 0x22]) == nil)
    }

    @Test("Lists and objects may be nested 32 levels deep")
    func depth() {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(read(nested(32)) != nil && read(nested(33)) == nil)
        #expect(read(String(repeating: "{\"a\":", count: 100_000)) == nil)
        #expect(read(String(repeating: "[", count: 1 << 20)) == nil)
    }

    @Test("A megabyte of nested lists is read in about the time of flat ones")
    func linear() {
        let lists = String(repeating: "[],", count: 100_000) + "[]"
        func time(_ depth: Int) -> Duration {
            let text = String(repeating: "[", count: depth) + lists + String(repeating: "]", count: depth)
            return ContinuousClock().measure { #expect(read(text) != nil) }
        }
        let flat = (1...3).map { _ in time(1) }.min()!
        let deep = (1...3).map { _ in time(31) }.min()!
        #expect(deep < flat * 8)
    }
}
