internal import Crypto
public import DesktopSupport
internal import FoundationEssentials
internal import Glibc
internal import KeyDerivation
public import SecretService
internal import SharedAuthRecords

/// The source of the key of an encrypted-file store.
///
/// A store is created for one kind of key and keeps it: apps that share a store use the same passphrase or the same
/// key. Anyone who has the key can read the store, so keep the key in a place that a copy of the directory does not
/// include.
public struct FileStoreKey: Sendable {
    enum Source: Sendable {
        case passphrase(Passphrase)
        case file(String)
        case credential(String, directory: String?)
    }

    let source: Source

    /// A passphrase from which the key is derived with scrypt. The derivation takes 128 MiB of memory and a noticeable
    /// fraction of a second, once.
    ///
    /// The passphrase is discarded as soon as it has opened or created a store. Apps in one process that use the store
    /// share this value.
    public static func passphrase(_ passphrase: Secret) -> FileStoreKey {
        FileStoreKey(source: .passphrase(Passphrase(passphrase, cost: Passphrase.usualCost)))
    }

    /// A file of exactly 32 random bytes that only its owner can read (mode 600), such as the one created by
    /// `(umask 077; head -c 32 /dev/urandom > FILE)`.
    public static func keyFile(_ path: String) -> FileStoreKey {
        FileStoreKey(source: .file(path))
    }

    /// The name of a credential of exactly 32 random bytes that systemd stores in `$CREDENTIALS_DIRECTORY` for this
    /// service (`LoadCredentialEncrypted=`).
    public static func systemdCredential(_ name: String) -> FileStoreKey {
        systemdCredential(name, directory: nil)
    }

    /// A credential in this directory instead of the one in the environment.
    package static func systemdCredential(_ name: String, directory: String?) -> FileStoreKey {
        FileStoreKey(source: .credential(name, directory: directory))
    }

    /// A passphrase with another cost for new stores: the base-2 logarithm of scrypt's N, from 10 to 20.
    package static func passphrase(_ passphrase: Secret, cost: Int) -> FileStoreKey {
        FileStoreKey(source: .passphrase(Passphrase(passphrase, cost: cost)))
    }
}

extension FileStoreKey: Redacted {
    /// The source of the key, without any part of the key.
    public var description: String {
        switch source {
        case .passphrase: "FileStoreKey(passphrase)"
        case .file(let path): "FileStoreKey(file \(path))"
        case .credential(let name, _): "FileStoreKey(credential \(name))"
        }
    }
}

extension FileStoreKey {
    static let size = 32

    /// Checks that the key can be read; derives nothing.
    ///
    /// - Throws: `unavailable` if the key is missing or malformed, `denied` if other users can read it or the
    ///   passphrase is empty.
    func check() throws(RecordStoreError) {
        switch source {
        case .passphrase(let passphrase): try passphrase.check()
        case .file, .credential: _ = try read()
        }
    }

    /// Creates the header of a new store, and the cipher for its records.
    func makeHeader(by deadline: Deadline) throws(RecordStoreError) -> (header: StoreHeader, cipher: RecordCipher) {
        let salt = Data(randomBytes(32))
        var scrypt: Scrypt?
        if case .passphrase(let passphrase) = source {
            scrypt = passphrase.newScrypt(salt: Data(randomBytes(32)))
        }
        let header = StoreHeader(scrypt: scrypt, salt: salt, key: try key(scrypt, by: deadline))
        return (header, try cipher(for: header, of: "", by: deadline))
    }

    /// Returns the cipher for the records of the store at `path`.
    ///
    /// - Throws: `denied` if the store has another key, or the error that prevents reading the key.
    func cipher(
        for header: StoreHeader,
        of path: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher {
        switch (source, header.scrypt) {
        case (.passphrase, nil):
            throw .wrongKey("The store \(path) was created with a key file or a credential, not with a passphrase.")
        case (.file, .some), (.credential, .some):
            throw .wrongKey("The store \(path) was created with a passphrase.")
        default:
            break
        }
        guard let recordKey = header.recordKey(try key(header.scrypt, by: deadline)) else {
            switch source {
            case .passphrase: throw .wrongKey("The passphrase does not match the store \(path).")
            case .file(let file): throw .wrongKey("The key in \(file) does not match the store \(path).")
            case .credential(let name, _): throw .wrongKey("The credential \(name) does not match the store \(path).")
            }
        }
        if case .passphrase(let passphrase) = source { passphrase.forget() }
        return RecordCipher(key: recordKey)
    }

    private func key(_ scrypt: Scrypt?, by deadline: Deadline) throws(RecordStoreError) -> SymmetricKey {
        switch source {
        case .passphrase(let passphrase):
            guard let scrypt else { throw .wrongKey("A passphrase needs a salt.") }
            return try passphrase.key(scrypt, by: deadline)
        case .file, .credential:
            guard let key = try read() else { throw .wrongKey("A passphrase needs a salt.") }
            return key
        }
    }

    /// Returns the key in a file or a credential; nil for a passphrase.
    private func read() throws(RecordStoreError) -> SymmetricKey? {
        switch source {
        case .passphrase:
            return nil
        case .file(let path):
            return try Self.key(in: path, "key file", demandsPrivacy: true)
        case .credential(let name, let directory):
            guard let directory = directory ?? Environment["CREDENTIALS_DIRECTORY"] else {
                throw .noKey(
                    "The credential \(name) cannot be found, because CREDENTIALS_DIRECTORY is not set.",
                    remedy: "Start the service from a systemd unit with LoadCredentialEncrypted=\(name)."
                )
            }
            guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else {
                throw .noKey("\(name.quotedName) is not a credential name.", remedy: "Give a plain name.")
            }
            // The owner and permissions of the file are systemd's responsibility; it uses access-control lists.
            return try Self.key(in: "\(directory)/\(name)", "credential", demandsPrivacy: false)
        }
    }

    private static func key(
        in path: String,
        _ what: String,
        demandsPrivacy: Bool
    ) throws(RecordStoreError) -> SymmetricKey {
        let remedy = "Make one: (umask 077; head -c \(size) /dev/urandom > FILE)"
        switch try SmallFile.read(
            path,
            path: path,
            atMost: 4096,
            followingLinks: true,
            demandsPrivacy: demandsPrivacy
        ) {
        case .none:
            throw .noKey("There is no \(what) \(path).", remedy: remedy)
        case .unusable(let reason):
            throw .noKey("The \(what) \(path) cannot be used: \(reason).", remedy: remedy)
        case .bytes(var bytes):
            defer {
                unsafe bytes.withUnsafeMutableBytes {
                    if let start = $0.baseAddress { unsafe explicit_bzero(start, $0.count) }
                }
            }
            guard bytes.count == size else {
                throw .noKey("The \(what) \(path) has \(bytes.count) bytes instead of \(size).", remedy: remedy)
            }
            return SymmetricKey(data: bytes)
        }
    }
}

extension RecordStoreError {
    fileprivate static func wrongKey(_ message: String) -> RecordStoreError {
        RecordStoreError(.denied, message, remedy: "Give the key that the store was created with; nothing was changed.")
    }

    fileprivate static func noKey(_ message: String, remedy: String) -> RecordStoreError {
        RecordStoreError(.unavailable, message, remedy: remedy)
    }
}
