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
}
