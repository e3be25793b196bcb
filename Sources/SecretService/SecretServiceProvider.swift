/// The process that answers as the Secret Service, for people to read.
///
/// This says who answers, and proves nothing: any process of the same user may own the name.
public struct SecretServiceProvider: Sendable, Hashable {
    /// The provider's unique name on the bus; a restarted provider has another.
    public let uniqueName: String
    /// The provider's process, if the bus tells.
    public let processID: Int32?
    /// The name of the program, such as `gnome-keyring-daemon`, if the system tells.
    public let executableName: String?
    /// The bus's own id.
    let busID: String

    /// Which run of which program this is, on whichever bus: another run has another.
    package var instanceID: String { "\(busID)\(uniqueName)" }
}
