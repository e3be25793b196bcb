/// The process that answers as the Secret Service, described for people.
///
/// It proves nothing: any process of the same user may own the name.
public struct KeyringDaemon: Sendable, Hashable {
    /// The daemon's unique name on the bus; a restarted daemon has another.
    public let uniqueName: String
    /// The daemon's process; nil if the bus does not say, or counts processes in another namespace than this process.
    public let processID: Int32?
    /// The name of the program, such as `gnome-keyring-daemon`, if the system says.
    ///
    /// It is the program's own name, also where the system shows a wrapper's, a replaced file's or a cut one.
    public let executableName: String?
    /// The bus's own id.
    let busID: String
    /// Which keyring daemon it is, by the bus names that it owns.
    package let kind: Kind

    /// Which run of which program this is, on whichever bus: another run has another.
    package var instanceID: String { "\(busID)\(uniqueName)" }

    /// The name of the program for people; nil for one that is known neither by its bus names nor to the system.
    ///
    /// Where the bus names tell the daemon, a program of another name is not shown: it is a wrapper, or a copy.
    package var programName: String? {
        guard let usual = kind.program else { return executableName }
        return executableName.flatMap { kind.facts.programs.contains($0) ? $0 : nil } ?? usual
    }
}
