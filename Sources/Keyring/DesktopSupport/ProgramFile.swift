internal import Glibc

/// The file of a program, as `/proc` names it.
package enum ProgramFile {
    /// Returns the name of the file that a process executes; nil if the system does not report it.
    package static func name(ofProcess processID: Int32) -> String? {
        guard let path = linkTarget("/proc/\(processID)/exe") else { return nil }
        return path.split(separator: "/").last.map { withoutMark(String($0)) }
    }

    /// The name of this process's file; nil if the system does not report it.
    package static var own: String? { name(ofProcess: getpid()) }

    /// Returns a name without the suffix of a file that was deleted or replaced after the program was started.
    package static func withoutMark(_ name: String) -> String {
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }
}
