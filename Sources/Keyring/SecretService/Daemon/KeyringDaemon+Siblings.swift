internal import DesktopSupport
internal import Glibc

extension KeyringDaemon {
    /// Other processes of this user that run the same program, and may keep the same keyring files: their homes are the
    /// same, or cannot be read.
    package var siblings: [HoldingProcess] {
        guard let processID, let executableName else { return [] }
        let home = Self.home(of: processID)
        return visibleProcesses().sorted().compactMap { number in
            guard number != processID, ProgramName.ofProcess(number) == executableName, Self.isOwn(number),
                let process = HoldingProcess(processID: number)
            else { return nil }
            guard let home, let other = Self.home(of: number) else { return process }
            return other == home ? process : nil
        }
    }

    private static func isOwn(_ processID: Int32) -> Bool {
        var status = stat()
        return unsafe stat("/proc/\(processID)", &status) == 0 && status.st_uid == geteuid()
    }

    /// Returns the variables that determine where a daemon keeps its files; nil if they cannot be read.
    private static func home(of processID: Int32) -> [Substring]? {
        guard let environment = beginning(ofFile: "/proc/\(processID)/environ"), !environment.isEmpty else {
            return nil
        }
        let names = ["HOME=", "XDG_DATA_HOME="]
        return environment.split(separator: "\0").filter { word in names.contains(where: word.hasPrefix) }.sorted()
    }

    /// Returns the value of one of these variables in the daemon's environment, or in this process's if that cannot be
    /// read; nil if it is not an absolute path.
    private func directory(in variable: String) -> String? {
        let words = processID.flatMap(Self.home)
        let value =
            words.map { words in
                words.first { $0.hasPrefix("\(variable)=") }.map { String($0.dropFirst(variable.count + 1)) }
            } ?? Environment[variable]
        return value.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The directory with the files of the daemon's collections; nil if it is unknown.
    var filesDirectory: String? {
        guard let files = kind.facts.files else { return nil }
        let data = directory(in: "XDG_DATA_HOME") ?? directory(in: "HOME").map { "\($0)/.local/share" }
        return data.map { "\($0)/\(files.directory)" }
    }
}
