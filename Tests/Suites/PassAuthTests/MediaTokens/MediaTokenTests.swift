import FoundationEssentials
import PassAuth
import TestSupport
import Testing

struct MediaTokenTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    @Test("A media token is read from base64; its lifetime is in milliseconds")
    func read() throws {
        let token = try token(Fragments.media(proxy: "<proxyMvpdId>Proxy</proxyMvpdId>"))
        #expect(token.sessionGUID == "g" && token.requestor == "R" && token.resource == "channel")
        #expect(token.mvpd == "Cable" && token.proxyMvpd == "Proxy")
        #expect(token.issued == Self.noon && token.lifetime == .seconds(300))
        #expect(token.expires == Self.noon.addingTimeInterval(300))
    }

    @Test("A media token with a missing or empty proxy has no proxy", arguments: ["", "<proxyMvpdId/>"])
    func noProxy(proxy: String) throws {
        #expect(try token(Fragments.media(proxy: proxy)).proxyMvpd == nil)
    }

    @Test("Base64 may contain line breaks, and is kept unchanged")
    func lines() throws {
        let text = Data(("<signatureInfo>QQ==<signatureInfo>" + Fragments.media()).utf8).base64EncodedString()
        let wrapped = text.prefix(76) + "\r\n" + text.dropFirst(76) + "\n"
        let token = try MediaToken(base64: String(wrapped))
        #expect(token.resource == "channel" && token.serialized == wrapped)
    }

    @Test("A media token made by the server is read with the same values")
    func roundTrip() throws {
        let token = try MediaToken(
            sessionGUID: "g",
            requestor: "R",
            resource: "<rss/>",
            mvpd: "Cable",
            proxyMvpd: "Proxy",
            issued: Self.noon,
            lifetime: .milliseconds(1_500),
            signedWith: Keys.first
        )
        #expect(token.lifetime == .milliseconds(1_500) && token.resource == "<rss/>" && token.proxyMvpd == "Proxy")
        #expect(token.issued == Self.noon && token.expires == Self.noon.addingTimeInterval(1.5))
        #expect(try MediaToken(base64: token.serialized) == token)
    }

    @Test(
        "Lifetimes that are negative, overflow or are not numbers are refused",
        arguments: [
            "-1", "-300000", "+1", "31622400001", "9223372036854775807", "9223372036854775808",
            "99999999999999999999999999", "1e3", "300000ms", "5 min", "٣", "0x10", "1.5",
        ]
    )
    func lifetimes(ttl: String) {
        expectFailure(\PassTokenError.code, .invalidLifetime) { _ = try token(Fragments.media(ttl: ttl)) }
    }

    @Test("Lifetimes from 0 to 366 days are read")
    func extremes() throws {
        #expect(try token(Fragments.media(ttl: "0")).lifetime == .zero)
        #expect(try token(Fragments.media(ttl: "31622400000")).lifetime == .seconds(31_622_400))
    }

    @Test("A printed media token shows no user and no signature")
    func printed() throws {
        let token = try token(Fragments.media().replacing(">g<", with: ">the-user<"))
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(text.contains("Cable"))
            for secret in ["the-user", token.serialized] { #expect(!text.contains(secret)) }
        }
    }

    private func token(_ fragment: String) throws(PassTokenError) -> MediaToken {
        try MediaToken(base64: Data(fragment.utf8).base64EncodedString())
    }
}
