internal import CLibsecret

/// Bytes in libsecret's memory, which is locked where possible and wiped when freed.
@safe final class SecretBytes: @unchecked Sendable {
    // A SecretValue never changes after it was made, and counts its references atomically.
    private let pointer: OpaquePointer

    /// Keeps libsecret's locked memory from being given back, and locked anew, whenever the last secret goes and the next
    /// comes.
    private static let keeper = SecretBytes(CollectionOfOne(0), contentType: "text/plain")

    init(_ bytes: some Sequence<UInt8>, contentType: String) {
        let copied = bytes.withContiguousStorageIfAvailable { buffer in
            unsafe Self.make(UnsafeRawBufferPointer(buffer), contentType)
        }
        if let copied = unsafe copied {
            unsafe pointer = copied
        } else {
            unsafe pointer = Array(bytes).withUnsafeBytes { buffer in unsafe Self.make(buffer, contentType) }
        }
    }

    init(copying buffer: UnsafeRawBufferPointer, contentType: String) {
        _ = Self.keeper
        unsafe pointer = Self.make(buffer, contentType)
    }

    deinit {
        unsafe secret_value_unref(UnsafeMutableRawPointer(pointer))
    }

    var contentType: String {
        unsafe String(cString: secret_value_get_content_type(pointer))
    }

    var count: Int {
        var length: gsize = 0
        _ = unsafe secret_value_get(pointer, &length)
        return Int(length)
    }

    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        var length: gsize = 0
        let start = unsafe secret_value_get(pointer, &length)
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    private static func make(_ buffer: UnsafeRawBufferPointer, _ contentType: String) -> OpaquePointer {
        // libsecret copies; a length of 0 with a null pointer is legal, a negative one would mean "measure it".
        let empty: StaticString = ""
        let start = unsafe buffer.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
        return unsafe secret_value_new(start.assumingMemoryBound(to: CChar.self), gssize(buffer.count), contentType)
    }
}
