internal import DesktopSupport
internal import Glibc

/// The user's directories, as the XDG Base Directory Specification names them.
package enum BaseDirectory {
    /// What the environment variable says, if that is an absolute path, else a place in the home directory.
    package static func path(_ variable: String, orInHome place: String) -> String {
        if let path = Environment[variable], path.hasPrefix("/") { return path }
        let home = Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? homeInUserDatabase()
        return "\(home)/\(place)"
    }

    /// For processes without a usable `HOME`.
    private static func homeInUserDatabase() -> String {
        guard let entry = unsafe getpwuid(getuid()), let home = unsafe entry.pointee.pw_dir else { return "/" }
        return unsafe String(cString: home)
    }
}
