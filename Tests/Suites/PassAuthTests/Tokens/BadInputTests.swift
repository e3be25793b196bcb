import FoundationEssentials
import PassAuth
import TestSupport
import Testing

/// Inputs that are not tokens: each is a typed error that quotes nothing; none crashes or is slow.
struct BadInputTests {
    private static let body = Fragments.authorization()

    private static func replacing(_ part: String, with other: String) -> String {
        body.replacing(part, with: other)
    }

    @Test(
        "Markup that is not one complete token is refused",
        arguments: [
            "", " ", "channel", "<", "</a>", "<simpleAuthorizationToken", "<simpleAuthorizationToken>",
            "</simpleAuthorizationToken>", "<signatureInfo>", "<signatureInfo>QQ==",
            "<signatureInfo>QQ==</signatureInfo>",
            "<signatureInfo>QQ==<signatureInfo>", "<signatureInfo>QQ==<other/>" + body,
            "<signatureInfo>QQ==</other>" + body, "<signatureInfo a='1'>QQ==</signatureInfo>" + body,
            String(body.dropLast()), String(body.dropLast(3)), body + "x", body + body, "x" + body, body + "</x>",
            "\u{FEFF}" + body, "\u{0}" + body, body + "\u{0}", replacing("channel", with: "channel\u{0}"),
            replacing("channel", with: "channel\u{1}"), replacing("channel", with: "&x;"),
            replacing("channel", with: "&"), replacing("channel", with: "&#0;"),
            replacing("channel", with: "&#xD800;"), replacing("channel", with: "<![CDATA[channel"),
            replacing("</simpleTokenMsoID>", with: "</simpleTokenMsoIDs>"),
            replacing("</simpleTokenMsoID>", with: "<simpleTokenMsoID>"),
            replacing("<simpleTokenMsoID>", with: "<simpleTokenMsoID a=1>"),
            replacing("<simpleTokenMsoID>", with: "<simpleTokenMsoID a='1' a='2'>"),
            replacing("<simpleTokenMsoID>", with: "<1>"), replacing("<simpleTokenMsoID>", with: "< simpleTokenMsoID>"),
            Fragments.listing, Fragments.media(),
        ]
    )
    func malformed(fragment: String) {
        expectFailure(\PassTokenError.code, .malformed, without: ["channel", "ab12"]) {
            _ = try AuthorizationToken(fragment: fragment)
        }
    }

    @Test(
        "A second signature is refused, in any place",
        arguments: [
            "<signatureInfo>QQ==</signatureInfo><signatureInfo>QUE=</signatureInfo>" + body,
            "<signatureInfo/><signatureInfo>QUE=</signatureInfo>" + body,
            "<signatureInfo>QQ==</signatureInfo>"
                + replacing("<simpleTokenMsoID>", with: "<signatureInfo>QUE=</signatureInfo><simpleTokenMsoID>"),
        ]
    )
    func secondSignature(fragment: String) {
        expectFailure(\PassTokenError.code, .secondSignature, without: ["QQ", "QUE"]) {
            _ = try AuthorizationToken(fragment: fragment)
        }
    }

    @Test("A signature after the token is refused")
    func signatureAfter() {
        expectFailure(\PassTokenError.code, .malformed) {
            _ = try AuthorizationToken(fragment: Self.body + "<signatureInfo>QUE=</signatureInfo>")
        }
    }

    @Test(
        "A signature that is not base64 is refused",
        arguments: ["Q", "QQ=", "QQ===", "Q-_=", "QQ==QQ==", "é", "&#81;"]
    )
    func signatureNotBase64(signature: String) {
        expectFailure(\PassTokenError.code, .notBase64) {
            _ = try AuthorizationToken(fragment: "<signatureInfo>\(signature)</signatureInfo>" + Self.body)
        }
    }

    @Test("A media token that is not base64 of a text is refused")
    func mediaNotBase64() {
        for text in ["<", "A", "AAAA-", "AA=A"] {
            expectFailure(\PassTokenError.code, .notBase64) { _ = try MediaToken(base64: text) }
        }
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x3C], [0xC0, 0xBC], []] {
            expectFailure(\PassTokenError.code, .malformed) {
                _ = try MediaToken(base64: Data(bytes).base64EncodedString())
            }
        }
    }

    @Test(
        "Declarations, entity bombs, comments and instructions are refused unparsed",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]>" + replacing("channel", with: "&c;"),
            "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>" + replacing("channel", with: "&b;"),
            "<!", "<?", "<?xml version='1.0'?>" + body, "<!-- x -->" + body,
            replacing("channel", with: "chan<!-- -->nel"), replacing("channel", with: "<?php ?>"),
            replacing("channel", with: "<!ENTITY b 'x'>"),
        ]
    )
    func forbidden(fragment: String) {
        expectFailure(\PassTokenError.code, .forbiddenMarkup, without: ["passwd"]) {
            _ = try AuthorizationToken(fragment: fragment)
        }
    }

    @Test("A token of 100 MB is refused before parsing, as a fragment and as base64")
    func tooLarge() {
        let text = String(repeating: "A", count: 100_000_000)
        expectFailure(\PassTokenError.code, .tooLarge) { _ = try AuthenticationToken(fragment: text) }
        expectFailure(\PassTokenError.code, .tooLarge) { _ = try AuthorizationToken(fragment: text) }
        expectFailure(\PassTokenError.code, .tooLarge) { _ = try MediaToken(base64: text) }
    }

    @Test("Too many or too deep elements are refused; the allowed number is read")
    func tooDeep() throws {
        func nested(_ levels: Int) -> String {
            let inside = String(repeating: "<x>", count: levels) + String(repeating: "</x>", count: levels)
            return Self.replacing("<simpleTokenMsoID>", with: inside + "<simpleTokenMsoID>")
        }
        func many(_ count: Int) -> String {
            Self.replacing("<simpleTokenMsoID>", with: String(repeating: "<x/>", count: count) + "<simpleTokenMsoID>")
        }
        _ = try AuthorizationToken(fragment: nested(15))
        _ = try AuthorizationToken(fragment: many(3_993))
        for fragment in [nested(16), nested(30_000), many(3_994), many(50_000)] {
            expectFailure(\PassTokenError.code, .tooDeep) { _ = try AuthorizationToken(fragment: fragment) }
        }
    }

    @Test("Too many references and escapes are refused; the allowed number is read")
    func references() throws {
        func text(_ count: Int) -> String { String(repeating: "&lt;", count: count) }
        func section(_ count: Int) -> String { "<![CDATA[" + String(repeating: "<", count: count) + "]]>" }
        for inside in [text(10_000), section(10_000)] {
            let token = try AuthorizationToken(fragment: Fragments.authorization(resourceMarkup: inside))
            #expect(token.resource == String(repeating: "<", count: 10_000))
        }
        for inside in [text(10_001), section(10_001), text(5_000) + section(5_001), section(200_000)] {
            expectFailure(\PassTokenError.code, .tooDeep) {
                _ = try AuthorizationToken(fragment: Fragments.authorization(resourceMarkup: inside))
            }
        }
    }

    @Test("A token of 256 KiB is read; one byte more is refused")
    func largest() throws {
        let resource = String(repeating: "a", count: 262_144 - Fragments.authorization(resourceMarkup: "").utf8.count)
        let whole = Fragments.authorization(resourceMarkup: resource)
        #expect(try AuthorizationToken(fragment: whole).resource == resource)
        expectFailure(\PassTokenError.code, .tooLarge) { _ = try AuthorizationToken(fragment: whole + " ") }
    }

    @Test("A missing or empty element, or an attribute in its place, is reported as missing")
    func missing() {
        for fragment in [
            Fragments.authorization(requestor: ""), Fragments.authorization(resource: ""),
            Fragments.authorization(ttl: ""), Fragments.authorization(mvpd: ""), Fragments.authorization(device: ""),
            Fragments.authorization(mvpd: "<simpleTokenMsoID/>"),
            Fragments.authorization(mvpd: "<simpleTokenMsoID> \n</simpleTokenMsoID>"),
            Fragments.authorization(device: "<simpleTokenDeviceID/>"),
            Fragments.authorization(mvpd: "").replacing(
                "Token>",
                with: "Token simpleTokenMsoID='Cable'>",
                maxReplacements: 1
            ),
        ] {
            expectFailure(\PassTokenError.code, .missingElement, without: ["channel"]) {
                _ = try AuthorizationToken(fragment: fragment)
            }
        }
    }

    @Test("An element that occurs twice is refused, since it is ambiguous")
    func repeated() {
        for element in [
            "<simpleTokenMsoID>Other</simpleTokenMsoID>", "<simpleTokenMsoID/>",
            "<simpleTokenTTL>2099/01/01 00:00:00 GMT +0000</simpleTokenTTL>",
            "<simpleTokenDeviceID><simpleTokenFingerprint>cd34</simpleTokenFingerprint></simpleTokenDeviceID>",
        ] {
            expectFailure(\PassTokenError.code, .repeatedElement, without: ["Other", "cd34"]) {
                let end = "</simpleAuthorizationToken>"
                _ = try AuthorizationToken(fragment: Self.replacing(end, with: element + end))
            }
        }
    }
}
