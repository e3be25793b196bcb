internal import DesktopSupport
internal import Glibc

/// The user's directories according to the XDG Base Directory Specification.
package enum BaseDirectory {
    /// Returns the path in an environment variable if it is absolute, otherwise a path in the home directory.
    package static func path(_ variable: String, orInHome place: String) -> String {
        if let path = Environment[variable], path.hasPrefix("/") { return path }
        return home == "/" ? "/\(place)" : "\(home)/\(place)"
    }

    /// Returns a sentence that says that the user has no home directory, if the directory of an environment variable would
    /// be in it; nil otherwise.
    package static func absence(without variable: String) -> String? {
        if let path = Environment[variable], path.hasPrefix("/") { return nil }
        return home == "/" && geteuid() != 0
            ? "User \(geteuid()) has no home directory, and \(variable) is not set." : nil
    }

    /// The home directory; the root directory for a user without one.
    private static var home: String {
        Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? homeInUserDatabase() ?? "/"
    }

    /// Returns the home directory for processes without a usable `HOME`.
    private static func homeInUserDatabase() -> String? {
        guard let entry = unsafe getpwuid(getuid()), let home = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe String(cString: home)
    }
}
