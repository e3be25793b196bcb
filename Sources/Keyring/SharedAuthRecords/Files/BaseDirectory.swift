internal import DesktopSupport
internal import Glibc

/// The user's directories according to the XDG Base Directory Specification.
package enum BaseDirectory {
    /// Returns the path in an environment variable if it is absolute, otherwise a path in the home directory.
    package static func path(_ variable: String, orInHome place: String) -> String {
        if let path = Environment[variable], path.hasPrefix("/") { return path }
        let home = Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? homeInUserDatabase()
        return "\(home)/\(place)"
    }

    /// Returns the home directory for processes without a usable `HOME`.
    private static func homeInUserDatabase() -> String {
        guard let entry = unsafe getpwuid(getuid()), let home = unsafe entry.pointee.pw_dir else { return "/" }
        return unsafe String(cString: home)
    }
}
