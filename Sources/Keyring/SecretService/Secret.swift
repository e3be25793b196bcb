internal import CGLibSecret
public import DesktopSupport

/// Bytes that must not be shown, such as a password or a token.
///
/// The bytes are stored in memory that is kept out of swap as far as the system allows, and wiped when the last copy of
/// the value is released. They pass through ordinary memory on their way over the bus. Copies share the bytes. Two
/// secrets are equal if their bytes are equal. Content types are not compared, since some daemons do not keep them.
public struct Secret: Sendable {
    private let value: SecretBytes

    /// The MIME type of the content.
    public var contentType: String { value.contentType }

    /// Creates a secret with a copy of `bytes`.
    public init(_ bytes: some Sequence<UInt8>, contentType: String = "text/plain") {
        value = SecretBytes(bytes, contentType: contentType)
    }

    /// Creates a secret with the UTF-8 encoding of `text`.
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

    /// Calls `body` with the bytes. The buffer must not escape.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe value.withUnsafeBytes(body)
    }
}

extension Secret: Equatable {
    /// Compares the bytes, in a time that does not depend on the position of a difference.
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

extension Secret: Redacted {
    /// A constant text that reveals nothing about the secret.
    public var description: String { "Secret(redacted)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Bytes in libsecret's memory, which is locked where possible and wiped when freed.
@safe final class SecretBytes: @unchecked Sendable {
    // Unchecked: a SecretValue is immutable, and its reference count is atomic.
    private let pointer: OpaquePointer

    /// Keeps one block of libsecret's locked memory in use. Otherwise the memory would be unlocked and locked again
    /// each time the last secret is released and a new one is created.
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
        // libsecret copies the bytes. An empty buffer may have no base address. A negative length would mean a
        // NUL-terminated string.
        let empty: StaticString = ""
        let start = unsafe buffer.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
        return unsafe secret_value_new(start.assumingMemoryBound(to: CChar.self), gssize(buffer.count), contentType)
    }
}
