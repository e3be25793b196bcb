internal import FoundationEssentials

/// What the firmware and the system say of a machine.
struct MachineFacts {
    let root: String

    /// The version in os-release, else none.
    var systemVersion: String? {
        guard let text = read("etc/os-release") ?? read("usr/lib/os-release") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VERSION_ID=") }
        return line.map { String($0.dropFirst("VERSION_ID=".count)).trimmed(of: "\"'") }
    }

    /// Whether the firmware says that it is carried about: a portable, laptop, notebook, sub-notebook, convertible, …
    var isPortable: Bool {
        ["8", "9", "10", "14", "30", "31", "32"].contains(firmware("chassis_type") ?? "")
    }

    /// A value of the firmware; nil when there is none, or only what a maker forgot to fill in.
    func firmware(_ name: String) -> String? {
        let value = read("sys/class/dmi/id/\(name)")?.trimmed(of: " \t\n")
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
