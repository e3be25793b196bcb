internal import Crypto
internal import FoundationEssentials

extension SymmetricKey {
    /// A copy of the key's bytes.
    var bytes: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
