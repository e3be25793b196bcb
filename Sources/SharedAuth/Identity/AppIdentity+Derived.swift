internal import FoundationEssentials

extension AppIdentity {
    /// The app id of a process that configured none: its Flatpak id, else `SHAREDAUTH_APP_ID`, else the executable's
    /// name.
    static func derivedAppID(environment: [String: String], flatpakInfo: String = "/.flatpak-info") -> String {
        if let id = flatpakID(flatpakInfo) { return id }
        if let id = environment["SHAREDAUTH_APP_ID"], !id.isEmpty { return id }
        let executable = CommandLine.arguments.first?.split(separator: "/").last ?? "app"
        let plain = executable.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-" }
        return String(plain.drop { $0 == "." })
    }

    private static func flatpakID(_ path: String) -> String? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        var section = ""
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line)
            } else if section == "[Application]", line.hasPrefix("name=") {
                return String(line.dropFirst("name=".count))
            }
        }
        return nil
    }
}
