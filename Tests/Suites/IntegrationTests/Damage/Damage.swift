import Foundation
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Kinds of damaged content in place of a user record.
enum Damage: String, CaseIterable, CustomTestStringConvertible {
    case empty, garbage, text, nonsense, cutEnvelope, changedByte, cutJSON, noJSON, missingField, missingToken
    case wrongTypes, wrongDate, missingCurrent, twice, noUID, otherSlot

    var testDescription: String { rawValue }

    /// Returns the damaged bytes for a record with this key.
    func secret(for key: RecordKey) throws -> [UInt8] {
        switch self {
        case .empty: return []
        case .garbage: return [0x00, 0xFF, 0xC3, 0x28, 0x7B, 0x00, 0x80]
        case .text: return Array("a password that somebody keeps here".utf8)
        // 4 MB that begin like a record.
        case .nonsense: return Array("SharedAuth1.".utf8) + (0..<4_194_304).map { UInt8(ascii: "A") + UInt8($0 % 26) }
        case .cutEnvelope: return try Array(Self.sealed(Self.whole(), for: key).dropLast(20))
        case .changedByte:
            var bytes = try Self.sealed(Self.whole(), for: key)
            bytes[bytes.count / 2] = bytes[bytes.count / 2] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return bytes
        case .cutJSON: return Self.sealed(try Self.whole().dropLast(5), for: key)
        case .noJSON: return Self.sealed([0xFF, 0xFE], for: key)
        case .missingField: return try Self.replaced("\"profile\":", "\"profil\":", for: key)
        case .missingToken: return try Self.replaced("\"idToken\":", "\"id\":", for: key)
        case .wrongTypes: return try Self.replaced("\"isAnonymous\":false", "\"isAnonymous\":[]", for: key)
        case .wrongDate: return try Self.replaced("\"expirationDate\":", "\"expirationDate\":\"soon\",\"x\":", for: key)
        case .missingCurrent: return try Self.replaced("\"current\":\"x\"", "\"current\":\"y\"", for: key)
        case .twice: return try Self.replaced("\"accounts\":[", "\"accounts\":[\(Self.account()),", for: key)
        case .noUID: return try Self.replaced("\"x\"", "\"\"", for: key)
        case .otherSlot:
            let other = RecordKey(
                scope: .app("com.example.Other"),
                project: key.project,
                instance: key.instance,
                kind: key.kind
            )
            return try Self.sealed(Self.whole(), for: other)
        }
    }

    /// Returns the payload of an intact record of user x.
    static func whole(_ uid: String = "x") throws -> [UInt8] {
        let tokens = UserTokens.scripted(uid, "1")
        return try UserRecord().signingIn(Account(profile: UserProfile(uid: uid), tokens: tokens, project: "p"))
            .encoded()
    }

    static func sealed(_ payload: some Sequence<UInt8>, counter: UInt64 = 1, for key: RecordKey) -> [UInt8] {
        let revision = Revision(counter: counter, nonce: 7)
        return Array(Envelope.seal(Record(payload: Array(payload), revision: revision), for: key).utf8)
    }

    private static func account() throws -> Substring {
        let text = String(decoding: try whole(), as: UTF8.self)
        let start = try #require(text.range(of: "[")).upperBound
        return text[start..<(try #require(text.range(of: "],\"current\""))).lowerBound]
    }

    private static func replaced(_ part: String, _ other: String, for key: RecordKey) throws -> [UInt8] {
        let text = String(decoding: try whole(), as: UTF8.self)
        let changed = text.replacing(part, with: other)
        #expect(changed != text)
        return sealed(changed.utf8, for: key)
    }
}
