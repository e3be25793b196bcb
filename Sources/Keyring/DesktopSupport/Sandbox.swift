/// The sandbox that a process runs in.
///
/// The sandbox filters the process's messages to the bus by the permissions of the app's package.
public enum Sandbox: Sendable, Hashable {
    /// Flatpak, with the app ID that its runtime reports.
    case flatpak(appID: String?)
    /// Snap, with the name of the snap.
    case snap(name: String)

    /// The sandbox of this process, detected once; nil outside of a sandbox.
    public static let current = Sandbox.detected(
        flatpakInfo: "/.flatpak-info",
        environment: { Environment[$0] },
        executable: linkTarget("/proc/self/exe")
    )

    /// Detects a sandbox by the files and variables that it provides.
    ///
    /// Programs started from a snap inherit its variables, so the variables count only for executables inside the snap.
    package static func detected(
        flatpakInfo: String,
        environment: (String) -> String?,
        executable: String?
    ) -> Sandbox? {
        if let info = beginning(ofFile: flatpakInfo) { return .flatpak(appID: appID(in: info)) }
        guard let root = environment("SNAP"), let name = environment("SNAP_NAME"),
            executable?.hasPrefix(root + "/") == true
        else { return nil }
        return .snap(name: name)
    }

    /// Returns the `name` in the section `[Application]`.
    private static func appID(in info: String) -> String? {
        var section = ""
        for line in info.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line)
            } else if section == "[Application]", line.hasPrefix("name=") {
                return String(line.dropFirst("name=".count))
            }
        }
        return nil
    }
}
