internal import CLibsecret

/// Bytes that must not be shown, such as a password or a token.
///
/// They are kept in memory that is not written to swap as long as the system grants some, and wiped when the last copy of
/// the value is released. On their way over the bus they pass through ordinary memory. Copies share the bytes. Two secrets are
/// equal if their bytes are, whatever their content types: some daemons forget those.
public struct Secret: Sendable {
    private let value: SecretBytes

    /// The kind of the content, a MIME type.
    public var contentType: String { value.contentType }

    /// Takes a copy of `bytes`.
    public init(_ bytes: some Sequence<UInt8>, contentType: String = "text/plain") {
        value = SecretBytes(bytes, contentType: contentType)
    }

    /// Takes the UTF-8 form of `text`.
    public init(_ text: String, contentType: String = "text/plain") {
        self.init(text.utf8, contentType: contentType)
    }

    init(_ value: SecretBytes) {
        self.value = value
    }

    /// The number of bytes.
    public var count: Int { value.count }

    /// A copy of the bytes, in ordinary memory.
    public var bytes: [UInt8] {
        unsafe value.withUnsafeBytes { buffer in unsafe Array(buffer) }
    }

    /// Lends the bytes to `body`, which must not let the buffer escape.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe value.withUnsafeBytes(body)
    }
}

extension Secret: Equatable {
    /// Compares the bytes, in a time that does not depend on where they differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        unsafe left.value.withUnsafeBytes { left in
            unsafe right.value.withUnsafeBytes { right in
                guard left.count == right.count else { return false }
                var difference: UInt8 = 0
                for index in left.indices {
                    unsafe difference |= left[index] ^ right[index]
                }
                return difference == 0
            }
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant text that holds nothing of the secret.
    public var description: String { "Secret(redacted)" }

    /// A constant text that holds nothing of the secret.
    public var debugDescription: String { description }

    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Bytes in libsecret's memory, which is locked where possible and wiped when freed.
@safe final class SecretBytes: @unchecked Sendable {
    // A SecretValue never changes after it was made, and counts its references atomically.
    private let pointer: OpaquePointer

    /// Keeps one block of libsecret's locked memory in use, so that the memory is not unlocked and locked again whenever the
    /// last secret is released and the next one made.
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
