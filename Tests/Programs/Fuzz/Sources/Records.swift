import Crypto
import FoundationEssentials

@testable import EncryptedFiles
@testable import LocalIdentity
@testable import SharedAuth
@testable import SharedAuthRecords

private let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "user")

/// Reads a keyring's text as it is, and as the payload of a complete record.
func fuzzEnvelope(_ bytes: [UInt8]) {
    _ = try? Envelope.open(bytes, for: key)
    let record = Record(payload: bytes, revision: Revision(counter: 1, nonce: 2))
    let opened = try? Envelope.open(Array(Envelope.seal(record, for: key).utf8), for: key)
    precondition(opened?.payload == bytes)
}

/// Reads a header, a file, and correctly sealed files that contain these bytes.
func fuzzFileStore(_ bytes: [UInt8]) {
    _ = try? StoreHeader(decoding: bytes, path: "/nowhere")
    let secret = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
    let cipher = RecordCipher(key: secret)
    _ = cipher.open(bytes, for: key)
    for version in ["SharedAuthFile1.", "SharedAuthFile2."] {
        let head = Array(version.utf8) + key.digest
        guard let box = try? AES.GCM.seal(bytes, using: secret, authenticating: head) else { continue }
        _ = cipher.open(head + box.nonce + box.ciphertext + box.tag, for: key)
    }
}

/// Reads the users of a slot, and the accounts and keys of the embedded identity provider.
func fuzzUserRecord(_ bytes: [UInt8]) {
    if let record = try? UserRecord(decoding: bytes), let written = try? record.encoded() {
        precondition((try? UserRecord(decoding: written)) != nil)
    }
    _ = try? AccountShardCodec(0, project: "p").decode(bytes)
    _ = try? IdentityKeysCodec(project: "p").decode(bytes)
}

/// Reads the state files next to the keyring.
func fuzzStateFiles(_ bytes: [UInt8]) {
    let choice = (try? UntrustedJSON.decode(GroupChoice.self, from: bytes)) ?? GroupChoice()
    _ = StepNotes(decoding: bytes).applied(to: choice)
    _ = KeeperNotes(decoding: bytes)
}
