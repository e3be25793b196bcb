internal import DesktopSupport

extension Sandbox {
    /// A permission on the message bus that a sandboxed app needs.
    package enum Need: Sendable, Hashable {
        /// To call the Secret Service.
        case secrets
        /// To own the names that serve as locks between processes.
        case turns
    }

    /// Returns a sentence that names the missing permission for a need, and how to grant it.
    package func missing(_ need: Need) -> String {
        switch (self, need) {
        case (.flatpak(let appID), .secrets):
            "\(Self.flatpak(appID)) may need the permission --talk-name=org.freedesktop.secrets, in its manifest or by "
                + "flatpak override --user\(argument(appID))."
        case (.flatpak(let appID), .turns):
            "\(Self.flatpak(appID)) needs the permission --own-name=org.sharedauth.*, in its manifest or by "
                + "flatpak override --user\(argument(appID))."
        case (.snap(let name), .secrets):
            "The snap \(name) may need the interface password-manager-service: run "
                + "snap connect \(name):password-manager-service."
        case (.snap(let name), .turns):
            "The snap \(name) cannot be given that permission: no interface of snapd covers the names org.sharedauth.*."
        }
    }

    private static func flatpak(_ appID: String?) -> String {
        appID.map { "The Flatpak \($0)" } ?? "This Flatpak"
    }

    private func argument(_ appID: String?) -> String { appID.map { " \($0)" } ?? "" }
}
