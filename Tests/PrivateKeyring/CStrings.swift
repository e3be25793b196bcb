internal import Glibc

/// A null-terminated vector of C strings, as `posix_spawn` wants it.
@safe final class CStrings {
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        unsafe pointers = strings.map { string in unsafe strdup(string) }
        unsafe pointers.append(nil)
    }

    deinit {
        unsafe for unsafepointer in unsafe pointers {
            unsafe free(pointer)
        }
    }
}
