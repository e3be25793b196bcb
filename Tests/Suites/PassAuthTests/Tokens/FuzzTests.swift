import FoundationEssentials
import TestSupport
import Testing

@testable import PassAuth

/// Twenty thousand broken tokens. The seed is printed; put it in `seed` to repeat a run.
struct FuzzTests {
    private static let rounds = 10_000
    private static let seed = UInt64.random(in: .min ... .max)
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("No changed token bound to a device is valid unless its meaning is unchanged")
    func deviceBound() throws {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: Self.seed)
        let whole = try AuthenticationToken(
            userID: "guid",
            requestor: "R",
            domain: "example.com",
            mvpd: "Cable & Sons",
            expires: Self.date.addingTimeInterval(60),
            fingerprint: "ab12",
            authorizedResources: ["a", "<b>"],
            signedWith: Keys.first
        )
        var outcomes = Outcomes()
        for round in 0..<Self.rounds {
            let fragment = random.changing(whole.serialized)
            do throws(PassTokenError) {
                let token = try AuthenticationToken(fragment: fragment)
                let verdict = token.verdict(
                    at: Self.date,
                    fingerprint: "ab12",
                    allowedIssuers: ["Cable & Sons"],
                    requestor: "R",
                    publicKey: Keys.first.publicKey
                )
                outcomes.count(verdict == .valid)
                // White space around the signed part may change, and base64 has unused bits.
                guard verdict != .valid || Self.saysTheSame(token, whole) else {
                    Issue.record("seed \(Self.seed), round \(round): a changed token is valid")
                    return
                }
            } catch {
                outcomes.count(error)
            }
        }
        outcomes.expectVariety(rounds: Self.rounds)
    }

    @Test("No changed media token is valid unless its meaning is unchanged")
    func media() throws {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: ~Self.seed)
        let whole = try MediaToken(
            sessionGUID: "guid",
            requestor: "R",
            resource: "<rss>A & B</rss>",
            mvpd: "Cable",
            issued: Self.date,
            lifetime: .seconds(300),
            signedWith: Keys.first
        )
        let fragment = String(decoding: Data(base64Encoded: whole.serialized) ?? Data(), as: UTF8.self)
        let verifier = MediaTokenVerifier(publicKey: Keys.first.publicKey, requestor: "R") { Self.date }
        var outcomes = Outcomes()
        for round in 0..<Self.rounds {
            // Every fifth change is made to the base64 text; the others are made to the fragment inside.
            let changed =
                round % 5 == 0
                ? random.changing(whole.serialized)
                : Data(random.changing(fragment).utf8).base64EncodedString()
            let found = verifier.verify(changed, resource: whole.resource)
            switch found.status {
            case .valid, .invalidSignature:
                outcomes.count(found.isValid)
            case .invalidFormat:
                do throws(PassTokenError) {
                    if try !MediaToken(base64: changed).isCanonical { continue }
                    Issue.record("seed \(Self.seed), round \(round): refused, but it can be read")
                } catch {
                    outcomes.count(error)
                }
            default:
                Issue.record("seed \(Self.seed), round \(round): \(found.status) although the signature tells")
            }
            guard let token = found.token else { continue }
            guard token.sessionGUID == whole.sessionGUID, token.resource == whole.resource,
                token.expires == whole.expires,
                token.requestor == whole.requestor, token.mvpd == whole.mvpd, token.proxyMvpd == nil
            else {
                Issue.record("seed \(Self.seed), round \(round): a changed token is handed on")
                return
            }
        }
        outcomes.expectVariety(rounds: Self.rounds)
    }

    private static func saysTheSame(_ left: AuthenticationToken, _ right: AuthenticationToken) -> Bool {
        left.userID == right.userID && left.requestor == right.requestor && left.domain == right.domain
            && left.mvpd == right.mvpd && left.expires == right.expires && left.fingerprint == right.fingerprint
            && left.authorizedResources == right.authorizedResources
    }
}

/// The outcomes of many broken tokens.
struct Outcomes {
    private var codes: [String: Int] = [:]
    private var valid = 0
    private var invalid = 0

    mutating func count(_ error: PassTokenError) { codes[error.code.rawValue, default: 0] += 1 }

    mutating func count(_ isValid: Bool) {
        if isValid { valid += 1 } else { invalid += 1 }
    }

    /// Expects that the changes reached every layer: the scanner, the parser, the elements, the signature.
    func expectVariety(rounds: Int) {
        let story: Comment = "\(codes), \(valid) valid, \(invalid) not"
        #expect(codes["malformed", default: 0] > rounds / 10, story)
        for code in ["forbiddenMarkup", "secondSignature", "missingElement", "repeatedElement", "notBase64"] {
            #expect(codes[code, default: 0] > 0, story)
        }
        #expect(invalid > rounds / 40, story)
        #expect(valid < rounds / 10, story)
    }
}

/// Random changes to tokens.
extension SeededRandom {
    /// Returns the text after one or two changes, repaired to valid UTF-8.
    mutating func changing(_ text: String) -> String {
        let whole = Array(text.utf8)
        var bytes = whole
        let changes = Int.random(in: 1...2, using: &self)
        for _ in 0..<changes { change(&bytes) }
        // Some changes have no effect.
        while bytes == whole { change(&bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes += piece() }
        let place = Int.random(in: bytes.indices, using: &self)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &self))
        switch Int.random(in: 0..<12, using: &self) {
        case 0: bytes[place] ^= 1 << Int.random(in: 0..<7, using: &self)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: piece(), at: place)
        case 6: bytes.replaceSubrange(place..<end, with: piece())
        case 7: changeElement(&bytes) { Array($0 + $0) }
        case 8: changeElement(&bytes) { _ in [] }
        case 9: changeElement(&bytes) { Array($0.prefix { $0 != UInt8(ascii: ">") }) + Array("/>".utf8) }
        default: changeLetter(&bytes, from: place)
        }
    }

    /// Replaces an element as a whole.
    private mutating func changeElement(_ bytes: inout [UInt8], to other: (ArraySlice<UInt8>) -> [UInt8]) {
        let starts = bytes.indices.dropLast().filter {
            bytes[$0] == UInt8(ascii: "<") && bytes[$0 + 1] != UInt8(ascii: "/")
        }
        guard let start = starts.randomElement(using: &self) else { return }
        let name = bytes[(start + 1)...].prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        let end = Array("</".utf8) + name + [UInt8(ascii: ">")]
        guard let range = bytes[start...].firstRange(of: end) else { return }
        bytes.replaceSubrange(start..<range.upperBound, with: other(bytes[start..<range.upperBound]))
    }

    /// Replaces one letter of a text by another, never one of the markup.
    private mutating func changeLetter(_ bytes: inout [UInt8], from place: Int) {
        guard let start = bytes[place...].firstIndex(of: UInt8(ascii: ">")), start + 1 < bytes.count,
            bytes[start + 1] != UInt8(ascii: "<")
        else { return }
        bytes[start + 1] = UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &self)
    }

    /// Returns text that often breaks parsers.
    private mutating func piece() -> [UInt8] {
        let pieces = [
            "<", ">", "</", "/>", "&", "&amp;", "&#0;", "&#x10FFFF;", "&#xFFFFFFFF;", "&x;", "<![CDATA[", "]]>", "<!--",
            "-->",
            "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<?xml version='1.1' encoding='UTF-7'?>", "<signatureInfo>",
            "</signatureInfo>", "<signatureInfo/>", "\u{0}", "\u{FEFF}", "\u{2028}", " ", "\"", "'", "=",
            "xmlns:a='b' a:",
            "<simpleTokenMsoID>", "<ttl>-1</ttl>", "9223372036854775808", "2011/02/30 25:61:61 GMT +9999", "QUJD",
            String(repeating: "<x>", count: 40),
        ]
        return Array(pieces[Int.random(in: pieces.indices, using: &self)].utf8)
    }
}
