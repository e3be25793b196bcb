internal import DesktopSupport
internal import SecretService

/// A lock implemented as a bus name for which owners queue.
///
/// All processes that share a keyring share the bus, inside a sandbox or not.
final class BusNameLock: CrossProcessLock {
    private let service: SecretService
    private let toleratesDenial: Bool
    private let threads = NamedLocks()

    init(service: SecretService, toleratesDenial: Bool) {
        self.service = service
        self.toleratesDenial = toleratesDenial
    }

    func acquire<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen) {
        do throws(SecretServiceError) {
            let owned = try service.acquireName(name, by: deadline, looking: look)
            return (LockHold(lock: OwnedName(owned.name), isShared: true, name: owned.name), owned.seen)
        } catch {
            switch error.code {
            case .denied where toleratesDenial:
                let lock = try threads.acquire(name, by: deadline)
                return (LockHold(lock: lock, isShared: false), look())
            case .denied:
                throw RecordStoreError(
                    .denied,
                    "The session bus does not allow this app to own the name that locks a record.",
                    remedy: "Allow it to own the names org.sharedauth.* (Flatpak: --own-name=org.sharedauth.*).",
                    underlying: error
                )
            default:
                throw RecordStoreError(error)
            }
        }
    }
}

extension BusNameLock {
    func holder(of name: String, by deadline: Deadline) throws(RecordStoreError) -> LockWait.Holder? {
        do {
            return try service.holder(ofName: name, by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }
}

/// A bus name that this process owns, as a lock.
private final class OwnedName: LosableLock {
    private let name: OwnedBusName

    init(_ name: OwnedBusName) {
        self.name = name
    }

    var isLost: Bool { name.isLost }

    func release() { name.release() }
}
