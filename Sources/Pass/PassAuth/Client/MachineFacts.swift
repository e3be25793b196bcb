internal import FoundationEssentials
internal import Glibc

/// Facts about a machine, from its firmware and system.
struct MachineFacts {
    let root: String

    /// The version in os-release, if there is one.
    var systemVersion: String? {
        guard let text = read("etc/os-release") ?? read("usr/lib/os-release") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VERSION_ID=") }
        return line.map { String($0.dropFirst("VERSION_ID=".count)).trimmed(of: "\"'") }
    }

    /// The processor's architecture, such as `x86_64`.
    static var architecture: String {
        var facts = utsname()
        guard unsafe uname(&facts) == 0 else { return "Linux" }
        return unsafe withUnsafeBytes(of: facts.machine) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The product's name from the firmware, or its board's name, or the model in the device tree of a machine without
    /// such firmware.
    var model: String? {
        firmware("product_name") ?? firmware("board_name") ?? value("sys/firmware/devicetree/base/model")
    }

    /// Indicates whether the firmware reports a tablet. (A laptop that turns into a tablet counts as a laptop.)
    var isTablet: Bool { firmware("chassis_type") == "30" }

    /// Returns a value of the firmware; nil if it is missing, or only a placeholder that the manufacturer left.
    func firmware(_ name: String) -> String? { value("sys/class/dmi/id/\(name)") }

    private func value(_ path: String) -> String? {
        let value = read(path)?.trimmed(of: " \t\n\0")
        let fillers = ["", "default string", "to be filled by o.e.m.", "not specified", "none", "system product name"]
        return value.flatMap { fillers.contains($0.lowercased()) ? nil : $0 }
    }

    private func read(_ path: String) -> String? {
        let url = URL(filePath: root, directoryHint: .isDirectory).appending(path: path)
        return (try? Data(contentsOf: url)).map { String(decoding: $0.prefix(4096), as: UTF8.self) }
    }
}

extension String {
    fileprivate func trimmed(of characters: String) -> String {
        let kept = drop { characters.contains($0) }
        return String(kept.reversed().drop { characters.contains($0) }.reversed())
    }
}
