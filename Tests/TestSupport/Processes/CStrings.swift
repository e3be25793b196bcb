internal import Glibc

/// A null-terminated vector of C strings, as `posix_spawn` wants it.
@safe final class CStrings {
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        unsafe pointers = strings.map { string in unsafe strdup(string) }
        unsafe pointers.append(nil)
    }

    deinit {
        for index in unsafe pointers.indices {
            unsafe free(pointers[index])
        }
    }
}
