internal import SecretService

/// How processes keep one another from changing a record at the same time.
public enum CrossProcessLocking: Sendable {
    /// A name on the session bus; where a sandbox denies that, a lock among this process's threads alone. A write is then
    /// read back, and reported as a conflict if another process wrote after it; one that wrote just before it goes
    /// unnoticed. So let the app own the names if you can (Flatpak: `--own-name=org.sharedauth.*`).
    case automatic
    /// A name on the session bus: whoever reaches the keyring reaches it too, whatever directories they see. The bus
    /// frees it when its owner dies.
    case busName
    /// A locked file in a directory that every process of the group sees under this path.
    case file(directory: String)

    func makeLock(on service: SecretService) -> any CrossProcessLock {
        switch self {
        case .automatic: BusNameLock(service: service, toleratesDenial: true)
        case .busName: BusNameLock(service: service, toleratesDenial: false)
        case .file(let directory): FileLock(directory: directory)
        }
    }
}
