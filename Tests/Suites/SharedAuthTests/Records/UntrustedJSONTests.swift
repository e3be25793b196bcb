import FoundationEssentials
import SharedAuth
import SharedAuthRecords
import TestSupport
import Testing

@Suite("Untrusted JSON")
struct UntrustedJSONTests {
    private func reads(_ bytes: some Sequence<UInt8>) -> Bool {
        (try? UntrustedJSON.decode(JSONValue.self, from: bytes)) != nil
    }

    private func nested(_ levels: Int) -> [UInt8] {
        Array("\(String(repeating: "[", count: levels))\(String(repeating: "]", count: levels))".utf8)
    }

    @Test("Arrays may be nested 32 levels deep")
    func depth() {
        #expect(reads(nested(32)) && !reads(nested(33)))
        #expect(JSONReader.value(nested(32)) != nil && JSONReader.value(nested(33)) == nil)
    }

    @Test("Brackets in strings do not count as nesting")
    func strings() {
        #expect(reads(Array(#"["\"\\\"\#(String(repeating: "[{", count: 600))"]"#.utf8)))
    }

    @Test("Open arrays before a final carriage return, Foundation's trap, are refused")
    func traps() {
        for open in ["[", "{", "{\"a\":"] {
            for levels in [512, 513, 2_000] {
                let bytes = Array("\(String(repeating: open, count: levels))\r".utf8)
                #expect(!reads(bytes))
                #expect(throws: RecordFlaw.self) { try UserRecord(decoding: Array("{\"accounts\":".utf8) + bytes) }
            }
        }
    }

    @Test("UTF-16 and UTF-32 are refused, with and without a byte order mark")
    func otherEncodings() {
        // A reader of bytes would take half of the letter for a quotation mark, and skip the arrays as a string.
        let text = "[\"\u{122}\",\(String(repeating: "[", count: 600))\r"
        for wide in [text, "[\"\u{2222}\"]", "[]", "1"] {
            let units = Array(wide.utf16)
            let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            #expect(!reads(little) && !reads(big) && !reads([0xFF, 0xFE] + little) && !reads([0xFE, 0xFF] + big))
            #expect(!reads(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8), 0, 0] }))
        }
    }
}
