internal import CDesktopSupport
internal import CGLibSecret
internal import Glibc

/// The translations of texts for the person who uses an app: gettext's domain `sharedauth`.
package enum Translation {
    private static let domain = "sharedauth"

    /// Makes gettext read the catalogs that are installed with this library or program, if there are any.
    private static let bind: Void = {
        if let directory { unsafe bindtextdomain(domain, directory) }
        unsafe bind_textdomain_codeset(domain, "UTF-8")
    }()

    /// The directory `share/locale` of the prefix that has this code; nil if there is none. Gettext then reads the
    /// system's.
    private static var directory: String? {
        guard var above = file?[...] else { return nil }
        // The file is in bin, lib, or a directory below lib.
        for _ in 1...3 {
            guard let slash = above.lastIndex(of: "/") else { return nil }
            above = above[..<slash]
            let directory = "\(above)/share/locale"
            if unsafe access(directory, R_OK) == 0 { return directory }
        }
        return nil
    }

    /// The path of the library or program that has this code.
    private static var file: String? {
        guard let name = unsafe cdesktop_own_file() else { return nil }
        // A program that was found in the search path has no directory in its name.
        let path = unsafe String(cString: name)
        guard let resolved = unsafe realpath(path.contains("/") ? path : "/proc/self/exe", nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns a text that is translated later, and marks it for the catalogs.
    package static func mark(_ text: String) -> String { text }

    /// Returns the translation into the language of the process, or the text.
    package static func of(_ text: String) -> String {
        _ = bind
        // Without a translation, gettext returns the same pointer.
        return unsafe text.withCString { unsafe String(cString: g_dgettext(domain, $0)) }
    }
}
