internal import Crypto
public import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthRecords

/// A code of 26 letters and digits with which one new device joins a fleet: 128 random bits.
///
/// The server never sees it. It authenticates the new device's keys to a device of the fleet, and the fleet to the new
/// device; nothing of the fleet is encrypted for it.
public struct EnrolmentCode: Sendable {
    private let bits: [UInt8]

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Creates a new code.
    init() { bits = randomBytes(16) }

    /// Reads a code as a person typed it; hyphens, spaces and letter case do not matter, and O, I and L count as 0, 1
    /// and 1.
    ///
    /// - Throws: `wrongCode` if it does not have 26 of the code's characters.
    public init(_ text: String) throws(FleetError) {
        let replaced: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
        let letters = text.uppercased().filter { $0 != "-" && !$0.isWhitespace }.map { replaced[$0] ?? $0 }
        let values = letters.compactMap { Self.alphabet.firstIndex(of: $0) }
        guard values.count == 26, letters.count == 26 else {
            throw FleetError(
                .wrongCode,
                "This is not an enrolment code: it must have 26 letters and digits.",
                remedy: "Run sharedauth fleet enrol on a device of the fleet, and type the code it prints."
            )
        }
        var (bytes, buffer, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for value in values {
            (buffer, count) = (buffer << 5 | UInt32(value), count + 5)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> count))
        }
        bits = bytes
    }

    /// The code in groups, for the person who types it.
    public var text: String {
        var (letters, buffer, count): ([Character], UInt32, Int) = ([], 0, 0)
        for byte in bits {
            (buffer, count) = (buffer << 8 | UInt32(byte), count + 8)
            while count >= 5 {
                count -= 5
                letters.append(Self.alphabet[Int(buffer >> count & 31)])
            }
        }
        letters.append(Self.alphabet[Int(buffer << (5 - count) & 31)])
        let groups = [0..<6, 6..<11, 11..<16, 16..<21, 21..<26].map { String(letters[$0]) }
        return groups.joined(separator: "-")
    }

    /// A key that only those who know the code have.
    private var key: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bits),
            salt: Data("SharedAuth fleet enrolment".utf8),
            info: Data("letter".utf8),
            outputByteCount: 32
        )
    }

    /// Encrypts a letter for whoever knows the code, with AES-256-GCM, bound to the place where it is left. Spaces after
    /// it make its size a multiple of ``FleetKeys/padding``.
    func seal(_ letter: some Encodable, at place: [UInt8]) throws(FleetError) -> [UInt8] {
        guard var text = try? StableJSON.encode(letter) else { throw .unsealedLetter }
        text += Array(repeating: UInt8(ascii: " "), count: FleetKeys.padding - 1 - (text.count - 1) % FleetKeys.padding)
        guard let sealed = try? AES.GCM.seal(text, using: key, authenticating: place).combined
        else { throw .unsealedLetter }
        return Array(sealed)
    }

    /// Decrypts a letter; nil if nobody who knows the code left it in this place.
    func open<Letter: Decodable>(_ type: Letter.Type, _ sealed: [UInt8]?, at place: [UInt8]) -> Letter? {
        guard let sealed, let box = try? AES.GCM.SealedBox(combined: sealed),
            let text = try? AES.GCM.open(box, using: key, authenticating: place)
        else { return nil }
        return try? UntrustedJSON.decode(type, from: text)
    }
}

extension FleetError {
    fileprivate static var unsealedLetter: FleetError {
        FleetError(.failed, "A letter to the other device could not be encrypted.")
    }
}

extension EnrolmentCode: Redacted {
    /// No part of the code, which is secret.
    public var description: String { "EnrolmentCode" }
}
