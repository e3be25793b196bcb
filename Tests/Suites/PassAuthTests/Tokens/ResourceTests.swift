import FoundationEssentials
import PassAuth
import TestSupport
import Testing

/// Resources are the only free text of a token: IDs, titles, whole media RSS documents.
struct ResourceTests {
    @Test(
        "A resource with markup is read as the text that the server meant",
        arguments: [
            ("a &amp; &lt;b&gt;", "a & <b>"),
            ("&lt;rss&gt; &amp; &#x41;&#66;&lt;/rss&gt;", "<rss> & AB</rss>"),
            ("<![CDATA[<rss><title>A & B</title></rss>]]>", "<rss><title>A & B</title></rss>"),
            ("a <![CDATA[<]]> b<![CDATA[ ]]>c &amp; ", "a < b c &"),
            ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
            ("\n  x\n  y \n", "x\n  y"),
            ("größe \u{1F600}", "größe \u{1F600}"),
            ("&apos;&quot;", "'\""),
        ]
    )
    func markup(inside: String, resource: String) throws {
        #expect(try AuthorizationToken(fragment: Fragments.authorization(resourceMarkup: inside)).resource == resource)
    }

    @Test(
        "A resource is read from a token exactly as it was written",
        arguments: [
            "a", "<rss version=\"2.0\"><channel><title>A & B</title></channel></rss>", "&amp;", "]]>", "<![CDATA[x]]>",
            "a  b\n\tc", "größe \u{1F600}", "'\"", "<!DOCTYPE x>", "&#65;",
        ]
    )
    func roundTrip(resource: String) throws {
        let token = try AuthorizationToken(
            requestor: "R",
            resource: resource,
            mvpd: "Cable",
            expires: .init(timeIntervalSince1970: 0),
            fingerprint: "f",
            signedWith: Keys.first
        )
        #expect(token.resource == resource)
        #expect(token.isSigned(by: Keys.first.publicKey))
    }

    @Test(
        "A resource that a token cannot represent is refused",
        arguments: ["", "\u{0}", "a\u{1}", "\u{FFFE}"]
    )
    func refused(resource: String) {
        expectFailure(\PassTokenError.code, .invalidValue) {
            _ = try AuthorizationToken(
                requestor: "R",
                resource: resource,
                mvpd: "Cable",
                expires: .init(timeIntervalSince1970: 0),
                fingerprint: "f"
            )
        }
    }

    @Test(
        "White space and line ends of a resource are preserved byte by byte",
        arguments: [" a", "a\n", "a\rb", "<rss>\r\n<a/>\r\n</rss>\r\n", "TNT ", "\t \r\n", "a&#13;b", "a\tb\nc"]
    )
    func whiteSpace(resource: String) throws {
        let token = try AuthorizationToken(
            requestor: "R",
            resource: resource,
            mvpd: "Cable",
            expires: .init(timeIntervalSince1970: 0),
            fingerprint: "f",
            signedWith: Keys.first
        )
        #expect(Array(token.resource.utf8) == Array(resource.utf8) && token.isSigned(by: Keys.first.publicKey))
        let media = try MediaToken(
            sessionGUID: "g",
            requestor: "R",
            resource: resource,
            mvpd: "Cable",
            issued: .init(timeIntervalSince1970: 1_800_000_000),
            lifetime: .seconds(300)
        )
        #expect(Array(try MediaToken(base64: media.serialized).resource.utf8) == Array(resource.utf8))
    }

    @Test("Markup that is not escaped is refused, since its boundaries are ambiguous")
    func rawMarkup() {
        expectFailure(\PassTokenError.code, .malformed) {
            _ = try AuthorizationToken(fragment: Fragments.authorization(resourceMarkup: "<rss>secret</rss>"))
        }
        expectFailure(\PassTokenError.code, .malformed) {
            _ = try AuthorizationToken(fragment: Fragments.authorization(resourceMarkup: "a<b/>c"))
        }
    }
}
