/// A description of the process that provides the Secret Service.
///
/// It is no proof of identity: any process of the same user may own the bus name.
public struct KeyringDaemon: Sendable, Hashable {
    /// The daemon's unique name on the bus; a restarted daemon has another.
    public let uniqueName: String
    /// The daemon's process ID; nil if the bus does not report it, or reports IDs of a namespace other than this
    /// process's.
    public let processID: Int32?
    /// The name of the program, such as `gnome-keyring-daemon`; nil if unknown.
    ///
    /// It is the program's original name, even if the system shows the name of a wrapper or of a replaced file, or a
    /// truncated name.
    public let executableName: String?
    /// The ID of the bus.
    let busID: String
    /// The kind of keyring daemon, determined by the bus names it owns.
    package let kind: Kind

    /// An identifier of this run of the program, unique across buses. Another run has another identifier.
    package var instanceID: String { "\(busID)\(uniqueName)" }

    /// The name of the program for messages; nil if neither its bus names nor the system identify it.
    ///
    /// If the bus names identify the daemon, a program of another name is not shown: it is a wrapper, or a copy.
    package var programName: String? {
        guard let usual = kind.program else { return executableName }
        return executableName.flatMap { kind.facts.programs.contains($0) ? $0 : nil } ?? usual
    }
}
