internal import DesktopSupport

/// The names of programs, as the system shows them and as their makers name them.
enum ProgramName {
    /// The length to which the kernel truncates the name of a command, in bytes.
    private static let cut = 15

    /// Returns the name of a process's program; nil if unknown.
    static func ofProcess(_ processID: Int32) -> String? {
        (ProgramFile.name(ofProcess: processID) ?? commandName(of: processID)).map(normalized)
    }

    /// Returns a program's original name: without the mark of a replaced file or a wrapper's affixes, and complete if a
    /// known name was truncated.
    static func normalized(_ shown: String) -> String {
        let name = ProgramFile.withoutMark(shown)
        if name.utf8.count == cut, let program = KeyringDaemon.Kind.programs.first(where: { isCut(name, from: $0) }) {
            return program
        }
        return unwrapped(name)
    }

    private static func isCut(_ name: String, from program: String) -> Bool {
        [program, ".\(program)-wrapped_", ".\(program)-real", "\(program)-real"].contains { whole in
            whole.utf8.count > cut && whole.utf8.starts(with: name.utf8)
        }
    }

    /// Returns the program's name from a wrapper's `.X-wrapped`, `.X-wrapped_`, `.X-real` or `X-real`.
    private static func unwrapped(_ name: String) -> String {
        let isHidden = name.hasPrefix(".")
        let visible = isHidden ? name.dropFirst() : name[...]
        let endings = isHidden ? ["-wrapped_", "-wrapped", "-real"] : ["-real"]
        for ending in endings where visible.hasSuffix(ending) && visible.count > ending.count {
            return String(visible.dropLast(ending.count))
        }
        return name
    }

    /// Returns the kernel's short name, which every user may read.
    private static func commandName(of processID: Int32) -> String? {
        guard let text = beginning(ofFile: "/proc/\(processID)/comm"), !text.isEmpty else { return nil }
        return String(text.prefix { $0 != "\n" })
    }
}
