internal import SecretService

/// A lock that is a name on the session bus, for which owners queue.
///
/// The bus is what all processes of a keyring share by construction, inside a sandbox or not.
final class BusNameLock: CrossProcessLock {
    private let service: SecretService
    private let toleratesDenial: Bool
    private let threads = NamedTurns()

    init(service: SecretService, toleratesDenial: Bool) {
        self.service = service
        self.toleratesDenial = toleratesDenial
    }

    func acquire<Seen>(
        _ name: String,
        within deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen) {
        do throws(SecretServiceError) {
            let owned = try service.acquireName(name, within: deadline, looking: look)
            return (LockHold(turn: OwnedName(owned.name), isShared: true), owned.seen)
        } catch {
            switch error.code {
            case .denied where toleratesDenial:
                let turn = try threads.take(name, within: deadline)
                return (LockHold(turn: turn, isShared: false), look())
            case .denied:
                throw RecordStoreError(
                    .denied,
                    "The session bus does not let this app take turns with others. Allow it to own the names "
                        + "org.sharedauth.* (Flatpak: --own-name=org.sharedauth.*).",
                    underlying: error
                )
            case .timedOut:
                throw RecordStoreError(
                    .timedOut,
                    "Another process did not end its change of the record in time; nothing was changed.",
                    underlying: error
                )
            default:
                throw RecordStoreError(error)
            }
        }
    }
}

/// A name that is owned on the bus, as a turn.
private final class OwnedName: Turn {
    private let name: OwnedBusName

    init(_ name: OwnedBusName) {
        self.name = name
    }

    func end() { name.release() }
}
