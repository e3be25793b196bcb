package import SecretService

extension AppIdentity {
    /// The app id of a process that configured none: its Flatpak id, else `SHAREDAUTH_APP_ID`, else the name of its snap,
    /// else the executable's name.
    package static func derivedAppID(
        environment: (String) -> String? = { Environment[$0] },
        sandbox: Sandbox? = .current
    ) -> String {
        if case .flatpak(let id?) = sandbox { return id }
        if let id = environment("SHAREDAUTH_APP_ID") { return id }
        if case .snap(let name) = sandbox { return name }
        let executable = CommandLine.arguments.first?.split(separator: "/").last ?? "app"
        let plain = executable.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-" }
        return String(plain.drop { $0 == "." })
    }
}
