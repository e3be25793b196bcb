public import SecretService

/// Where the key of an encrypted-file store comes from.
///
/// The store is made for one kind of key and stays with it: apps that share a store use the same passphrase or the same
/// key. Whoever has the key can read the store; keep it somewhere that a copy of the directory does not include.
public struct FileStoreKey: Sendable {
    enum Source: Sendable {
        case passphrase(Passphrase)
        case file(String)
        case credential(String, directory: String?)
    }

    let source: Source

    /// A passphrase, from which the key is derived with scrypt: 128 MiB and a noticeable fraction of a second, once.
    ///
    /// It is forgotten as soon as it has opened or made a store. Apps of one process that use that store share the value.
    public static func passphrase(_ passphrase: Secret) -> FileStoreKey {
        FileStoreKey(source: .passphrase(Passphrase(passphrase, cost: Passphrase.usualCost)))
    }

    /// A file of exactly 32 random bytes that nobody but its owner can read (mode 600), such as
    /// `(umask 077; head -c 32 /dev/urandom > FILE)` makes.
    public static func keyFile(_ path: String) -> FileStoreKey {
        FileStoreKey(source: .file(path))
    }

    /// A credential of exactly 32 random bytes that systemd has put into `$CREDENTIALS_DIRECTORY` for this service
    /// (`LoadCredentialEncrypted=`), by its name.
    public static func systemdCredential(_ name: String) -> FileStoreKey {
        systemdCredential(name, directory: nil)
    }

    /// A credential below another directory than the environment names.
    package static func systemdCredential(_ name: String, directory: String?) -> FileStoreKey {
        FileStoreKey(source: .credential(name, directory: directory))
    }

    /// A passphrase with another cost for stores yet to be made: the base-2 logarithm of scrypt's N, from 10 to 20.
    package static func passphrase(_ passphrase: Secret, cost: Int) -> FileStoreKey {
        FileStoreKey(source: .passphrase(Passphrase(passphrase, cost: cost)))
    }
}

extension FileStoreKey: CustomStringConvertible, CustomReflectable {
    /// Where the key comes from, and nothing of it.
    public var description: String {
        switch source {
        case .passphrase: "FileStoreKey(passphrase)"
        case .file(let path): "FileStoreKey(file \(path))"
        case .credential(let name, _): "FileStoreKey(credential \(name))"
        }
    }

    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
