/// The sandbox that a process runs in.
///
/// It filters what the process sends to the message bus, by the permissions of the app's package.
///
/// The set may grow: a `switch` over it needs an `@unknown default`.
public enum Sandbox: Sendable, Hashable {
    /// Flatpak, and the app id that its runtime states.
    case flatpak(appID: String?)
    /// Snap, and the name of the snap.
    case snap(name: String)

    /// The sandbox of this process, detected once; nil outside any.
    public static let current = Sandbox.detected(
        flatpakInfo: "/.flatpak-info",
        environment: { Environment[$0] },
        executable: linkTarget("/proc/self/exe")
    )

    /// Detects a sandbox by what it shows the processes inside.
    ///
    /// A snap's variables are inherited by whatever is started from it, so they count only for its own programs.
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

    /// The `name` of the section `[Application]`.
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
