internal import CGLibSecret

/// SHA-256 for identifiers and checksums, without a cryptographic library: GLib computes it.
package enum Checksum {
    /// The number of bytes.
    package static let size = 32

    /// Returns the SHA-256 of these bytes.
    package static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let checksum = unsafe g_checksum_new(G_CHECKSUM_SHA256)
        defer { unsafe g_checksum_free(checksum) }
        let add = { (bytes: UnsafeBufferPointer<UInt8>) in
            unsafe g_checksum_update(checksum, bytes.baseAddress, bytes.count)
        }
        // Most collections need no copy.
        if bytes.withContiguousStorageIfAvailable(add) == nil { unsafe Array(bytes).withUnsafeBufferPointer(add) }
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            var written = gsize(Self.size)
            unsafe g_checksum_get_digest(checksum, buffer.baseAddress, &written)
            count = Int(written)
        }
    }
}
