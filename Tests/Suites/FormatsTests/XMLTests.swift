import Formats
import TestSupport
import Testing

struct XMLTests {
    private static let limits = XMLReader.Limits(depth: 4, elements: 8, references: 6)

    private func read(_ xml: String) throws(XMLReader.Flaw) -> XMLElement {
        var reader = XMLReader(Array(xml.utf8), within: Self.limits)
        return try reader.element()
    }

    private func flaw(_ xml: String) -> String {
        do throws(XMLReader.Flaw) {
            _ = try read(xml)
            return "none"
        } catch {
            return switch error {
            case .tooLarge: "too large"
            case .forbidden: "forbidden"
            case .malformed(let what): what
            }
        }
    }

    @Test("Attributes, text around elements, sections and references are read")
    func everything() throws {
        let element = try read("<a b = '1' c=\"&#x41;&quot;\"\n>x<d/><![CDATA[<y>]]><d>&amp;</d >z</a>")
        #expect(element.name == "a" && element.text.value == "x<y>z")
        #expect(element.attributes.mapValues(\.value) == ["b": "1", "c": "A\""])
        #expect(element.all("d").map(\.text.value) == ["", "&"] && element.all("e").isEmpty)
    }

    @Test("The reader stops behind the element")
    func place() throws {
        var reader = XMLReader(Array("<x><a/></x>".utf8), from: 3, within: Self.limits)
        #expect(try reader.element().name == "a" && reader.place == 7)
    }

    @Test("Line ends are line feeds, and in an attribute spaces; references stay")
    func lineEnds() throws {
        let element = try read("<a b='1\r\n2\r3\t4&#13;&#9;'>1\r\n2\r3<![CDATA[\r\n]]>&#13;4</a>")
        #expect(element.text.value == "1\n2\n3\n\r4")
        #expect(element.attributes["b"]?.value == "1 2 3 4\r\t")
    }

    @Test("White space around a text belongs to it if it is written as references")
    func indentation() throws {
        #expect(try read("<a> \n x y \n</a>").text.withoutIndentation == "x y")
        #expect(try read("<a> \n &#32;x y&#10; \n</a>").text.withoutIndentation == " x y\n")
        #expect(try read("<a> &#9; </a>").text.withoutIndentation == "\t")
        #expect(try read("<a> \r\n </a>").text.withoutIndentation.isEmpty)
    }

    @Test(
        "XML that is not well-formed is refused, and the error says why",
        arguments: [
            ("", "has no element"), ("x", "has no element"), ("<", "name"), ("<a", "tag that does not end"),
            ("<a>", "element that does not end"), ("<a></b>", "ends another"), ("<a></a", "tag that does not end"),
            ("<a></a b='1'>", "tag that does not end"), ("<a b>", "without a value"), ("<a b=1>", "quotation marks"),
            ("<a b='1'c='2'/>", "tag that does not end"), ("<a b='1' b='2'/>", "twice"), ("<a b='<'/>", "does not end"),
            ("<1/>", "name"), ("< a/>", "name"), ("<a>&</a>", "ampersand"), ("<a>&x;</a>", "no character"),
            ("<a>&#0;</a>", "no character"), ("<a>&#xD800;</a>", "no character"), ("<a>&#+65;</a>", "no character"),
            ("<a>&#x110000;</a>", "no character"), ("<a>&#65534;</a>", "no character"),
            ("<a>&#X41;</a>", "no character"),
            ("<a b='&y;'/>", "no character"), ("<a>]]></a>", "CDATA"), ("<a><![CDATA[x</a>", "CDATA"),
            ("<a>\u{1}</a>", "characters"), ("<a>\u{FFFE}</a>", "characters"),
        ]
    )
    func malformed(xml: String, reason: String) {
        #expect(flaw(xml).contains(reason), "\(flaw(xml))")
    }

    @Test("Noncharacters are refused, as such and as references")
    func noncharacters() throws {
        for number: UInt32 in [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF] {
            let scalar = try #require(Unicode.Scalar(number))
            #expect(flaw("<a>\(Character(scalar))</a>").contains("characters"))
            #expect(flaw("<a>&#\(number);</a>").contains("no character"))
        }
        #expect(flaw("<a>\u{FDCF}\u{FDF0}\u{FFFD}\u{1FFFD}</a>") == "none")
    }

    @Test("Text that is not UTF-8 is refused")
    func notUTF8() {
        var reader = XMLReader([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E], within: Self.limits)
        #expect(throws: XMLReader.Flaw.self) { try reader.element() }
    }

    @Test("Declarations, comments and instructions are refused", arguments: ["<!-- -->", "<?x?>", "<!DOCTYPE a>"])
    func forbidden(markup: String) {
        #expect(flaw(markup) == "forbidden" && flaw("<a>\(markup)</a>") == "forbidden")
    }

    @Test("The limits are reached and not exceeded")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        func many(_ count: Int) -> String { "<a>\(String(repeating: "<b/>", count: count - 1))</a>" }
        func escapes(_ references: Int, _ escaped: Int) -> String {
            "<a b='&lt;'>\(String(repeating: "&#65;", count: references - 1))<![CDATA[\(String(repeating: "<", count: escaped))]]></a>"
        }
        for xml in [nested(4), many(8), escapes(6, 0), escapes(3, 3)] { _ = try read(xml) }
        for xml in [nested(5), many(9), escapes(7, 0), escapes(3, 4)] { #expect(flaw(xml) == "too large", "\(xml)") }
    }

    @Test("An element is written on one line, empty or with its content")
    func written() {
        let inside = XMLElement("b", attributes: ["d": XMLText("2"), "c": XMLText("'\n")])
        let element = XMLElement("a", text: XMLText(" <&>\r\n "), elements: [inside])
        #expect(
            element.xml == "<a>&#32;&lt;&amp;&gt;&#13;&#10;&#32;<b c=\"&apos;&#10;\" d=\"2\" /></a>",
            "\(element.xml)"
        )
    }

    @Test("Any text that XML allows is read as it was written")
    func roundTrip() throws {
        var random = SeededRandom(seed: 7)
        let characters: [Character] = [" ", "\t", "\n", "\r", "&", "<", ">", "'", "\"", "]", "a", "é", "\u{1F600}"]
        for _ in 0..<300 {
            let texts = (0..<2).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        characters.randomElement(using: &random) ?? "a"
                    }
                )
            }
            let written = XMLElement("a", attributes: ["b": XMLText(texts[0])], text: XMLText(texts[1]))
            var reader = XMLReader(
                Array(written.xml.utf8),
                within: XMLReader.Limits(depth: 1, elements: 1, references: 99)
            )
            let element = try reader.element()
            #expect(element.attributes["b"]?.value.utf8.elementsEqual(texts[0].utf8) == true, "\(written.xml)")
            #expect(element.text.withoutIndentation.utf8.elementsEqual(texts[1].utf8), "\(written.xml)")
        }
    }
}
