internal import Crypto
internal import FoundationEssentials
internal import SharedAuthRecords

/// The secret keys that the devices of a fleet share: one that seals records, and one that hides their names.
///
/// The first is new in each epoch; the second stays, so that a record keeps its name.
struct FleetKeys: Sendable {
    let epoch: UInt64
    private let sealing: SymmetricKey
    private let naming: SymmetricKey

    /// Creates the keys of a new fleet.
    init() {
        self.init(epoch: 1, sealing: SymmetricKey(size: .bits256), naming: SymmetricKey(size: .bits256))
    }

    private init(epoch: UInt64, sealing: SymmetricKey, naming: SymmetricKey) {
        (self.epoch, self.sealing, self.naming) = (epoch, sealing, naming)
    }

    /// The keys of the next epoch.
    var next: FleetKeys { FleetKeys(epoch: epoch + 1, sealing: SymmetricKey(size: .bits256), naming: naming) }

    /// Returns the name under which the server stores a record: 32 bytes that reveal nothing about it.
    func name(of key: RecordKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(key.name.utf8), using: naming))
    }
}

// MARK: Wrapping

extension FleetKeys {
    /// The keys, encrypted for one device by another: HPKE in auth mode with X25519.
    ///
    /// That the sender is a device of the fleet follows from the header: see ``FleetHeader/check(next:)``.
    struct Wrapped: Sendable, Hashable, Codable {
        /// The public key of the device that wrapped them.
        let sender: Data
        let encapsulated: Data
        let sealed: Data
    }

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    /// Encrypts the keys for the owner of a public key.
    func wrapped(
        for recipient: Curve25519.KeyAgreement.PublicKey,
        by sender: Curve25519.KeyAgreement.PrivateKey,
        in fleet: String
    ) throws(FleetError) -> Wrapped {
        do {
            var box = try HPKE.Sender(
                recipientKey: recipient,
                ciphersuite: Self.suite,
                info: Self.info(fleet, epoch),
                authenticatedBy: sender
            )
            let bytes = unsafe sealing.withUnsafeBytes { unsafe Data($0) } + naming.withUnsafeBytes { unsafe Data($0) }
            return Wrapped(
                sender: sender.publicKey.rawRepresentation,
                encapsulated: box.encapsulatedKey,
                sealed: try box.seal(bytes)
            )
        } catch {
            throw FleetError(.failed, "The fleet's key could not be encrypted for a device.")
        }
    }

    /// Decrypts keys that were wrapped for the owner of a private key.
    ///
    /// - Throws: `forgedHeader` if they were wrapped for another device, by another one than the named sender, or for
    ///   another epoch.
    init(
        _ wrapped: Wrapped,
        for recipient: Curve25519.KeyAgreement.PrivateKey,
        in fleet: String,
        epoch: UInt64
    ) throws(FleetError) {
        do {
            var box = try HPKE.Recipient(
                privateKey: recipient,
                ciphersuite: Self.suite,
                info: Self.info(fleet, epoch),
                encapsulatedKey: wrapped.encapsulated,
                authenticatedBy: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: wrapped.sender)
            )
            let bytes = try box.open(wrapped.sealed)
            guard bytes.count == 64 else { throw CryptoKitError.incorrectParameterSize }
            self.init(
                epoch: epoch,
                sealing: SymmetricKey(data: bytes.prefix(32)),
                naming: SymmetricKey(data: bytes.suffix(32))
            )
        } catch {
            throw FleetError(
                .forgedHeader,
                "The server shows a header whose key for this device cannot be opened.",
                remedy: "Ask the administrator whether the database was changed by hand; run sharedauth fleet doctor."
            )
        }
    }

    private static func info(_ fleet: String, _ epoch: UInt64) -> Data {
        Data("SharedAuth fleet key \(fleet) \(epoch)".utf8)
    }
}

// MARK: Records

extension FleetKeys {
    /// A record: the revision of its write, and the content; nil if no user was signed in afterwards.
    struct OpenRecord: Sendable, Hashable {
        let revision: Revision
        let content: UserContent?

        /// The plausible numbers of exchanges of a session.
        private static let exchanges = 0...Int(Int32.max)

        init(revision: Revision, content: UserContent?) { (self.revision, self.content) = (revision, content) }

        /// Reads the part of a record that was encrypted.
        ///
        /// - Throws: `forgedRecord` if it has another form.
        init(decoding plain: Data) throws(FleetError) {
            let length = Int(UInt32(bigEndian: plain.dropFirst(16).prefix(4)))
            guard plain.count >= 20 + length else { throw .forgedRecord("its length is wrong") }
            revision = Revision(
                counter: UInt64(bigEndian: plain.prefix(8)),
                nonce: UInt64(bigEndian: plain.dropFirst(8).prefix(8))
            )
            guard revision.isPlausible else { throw .forgedRecord("its counter is out of range") }
            if length == 0 {
                content = nil
                return
            }
            let text = plain.dropFirst(20).prefix(length)
            guard let content = try? UntrustedJSON.decode(UserContent.self, from: text) else {
                throw .forgedRecord("its content has another form")
            }
            guard content.sessions.values.allSatisfy(Self.exchanges.contains) else {
                throw .forgedRecord("its number of exchanges is out of range")
            }
            self.content = content
        }
    }

    /// The size of a sealed record is a multiple of this, plus a constant.
    static let padding = 512
    private static let format = Array("SharedAuthFleetRecord1.".utf8)
    /// The fewest bytes that a sealed record can have.
    static let leastBytes = format.count + 12 + padding + 16

    /// Encrypts a record for the server, with AES-256-GCM. The result is bound to the fleet, the epoch and the name.
    ///
    /// It begins with the format; a nonce (12 bytes), the encrypted part and the tag (16 bytes) follow. The encrypted
    /// part has the revision (counter and nonce, 8 bytes each, big endian), the length of the content (4 bytes), the
    /// content, and zeros.
    func seal(_ record: OpenRecord, named name: [UInt8], in fleet: String) throws(FleetError) -> [UInt8] {
        do {
            let content = try record.content.map { try StableJSON.encode($0) } ?? []
            var plain: [UInt8] = []
            plain.append(bigEndian: record.revision.counter)
            plain.append(bigEndian: record.revision.nonce)
            plain.append(bigEndian: UInt32(truncatingIfNeeded: content.count))
            plain += content
            plain += Array(repeating: 0, count: Self.padding - 1 - (plain.count + Self.padding - 1) % Self.padding)
            let box = try AES.GCM.seal(plain, using: sealing, authenticating: associated(name, fleet))
            return Self.format + box.nonce + box.ciphertext + box.tag
        } catch {
            throw FleetError(.failed, "A record could not be encrypted.")
        }
    }

    /// Decrypts a record.
    ///
    /// - Throws: `forgedRecord` if it was not sealed with these keys under this name, or is not whole.
    func open(_ sealed: [UInt8], named name: [UInt8], in fleet: String) throws(FleetError) -> OpenRecord {
        guard sealed.starts(with: Self.format) else { throw .forgedRecord("it does not begin as a record does") }
        guard let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(Self.format.count)),
            let plain = try? AES.GCM.open(box, using: sealing, authenticating: associated(name, fleet))
        else { throw .forgedRecord("its seal is broken, as it was changed, cut short, or belongs to another name") }
        return try OpenRecord(decoding: plain)
    }

    private func associated(_ name: [UInt8], _ fleet: String) -> [UInt8] {
        var bytes = Self.format + Array(fleet.utf8) + name
        bytes.append(bigEndian: epoch)
        return bytes
    }

    /// Encrypts the name of a device, for its header.
    func seal(deviceName name: String, of device: String) throws(FleetError) -> Data {
        let box = try? AES.GCM.seal(Data(name.utf8), using: sealing, authenticating: Data(device.utf8))
        guard let combined = box?.combined else {
            throw FleetError(.failed, "The name of a device could not be encrypted.")
        }
        return combined
    }

    /// Decrypts the name of a device; nil if it is not the fleet's.
    func openDeviceName(_ sealed: Data, of device: String) -> String? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let name = try? AES.GCM.open(box, using: sealing, authenticating: Data(device.utf8))
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}

extension FleetError {
    fileprivate static func forgedRecord(_ reason: String) -> FleetError {
        FleetError(
            .forgedRecord,
            "The server shows a record that no device of the fleet wrote: \(reason).",
            remedy: "Ask the administrator whether the database was changed by hand; the copy here is unchanged."
        )
    }
}
