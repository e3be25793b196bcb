internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SecretService
internal import SharedAuth

extension Examination {
    /// Checks that a record can be written, read and deleted, and that another connection is notified of it.
    mutating func probe(for identity: AppIdentity) {
        probe(
            for: identity,
            in: store,
            watchedBy: bystander,
            remedy: "Check that the keyring application can store a password, and look at the keyring daemon's log."
        )
    }

    /// Checks that a record can be written, read and deleted, and that a watch reports it.
    mutating func probe(
        for identity: AppIdentity,
        in store: any RecordStore,
        watchedBy other: any RecordStore,
        remedy: String
    ) {
        let key = Self.probeKey(for: identity, options)
        let signal = DispatchSemaphore(value: 0)
        var watch: (any RecordWatch)?
        var watchFailure: RecordStoreError?
        do {
            watch = try other.watch(key, by: deadline) { event in
                if event == .changed { signal.signal() }
            }
        } catch {
            watchFailure = error
        }
        defer { withExtendedLifetime(other) { watch?.cancel() } }
        do throws(RecordStoreError) {
            try Self.writeReadDelete(key, in: store, by: deadline)
            note(.good("probe", "A record was written, read and deleted."))
        } catch {
            return note(
                .bad(
                    "probe",
                    error.message,
                    remedy: error.remedy ?? remedy,
                    status: ExitCode(error.authErrorCode)
                )
            )
        }
        if let watchFailure {
            return note(
                .bad(
                    "signals",
                    "Changes cannot be observed: \(watchFailure.message)",
                    remedy: watchFailure.remedy ?? watchFailure.usualRemedy,
                    status: ExitCode(watchFailure.authErrorCode)
                )
            )
        }
        if signal.wait(timeout: .now() + .milliseconds(wait)) == .success {
            return note(.good("signals", "Other connections are notified of it."))
        }
        note(
            .warning(
                "signals",
                "No change signal arrived, so apps will not be notified of each other's changes.",
                remedy: "Update the keyring. Until then, an app reads changes when it starts or switches groups."
            )
        )
    }

    /// Checks that processes share a lock for changes of a record.
    mutating func checkLocks(for identity: AppIdentity) {
        do throws(RecordStoreError) {
            if try store.sharesLocks(for: Self.probeKey(for: identity, options), by: deadline) {
                return note(.good("turns", "Changes of a record are serialized across processes."))
            }
            note(
                .warning(
                    "turns",
                    "This program may not own names below org.sharedauth, so it cannot take turns with others: of two "
                        + "changes at the same moment, one can be lost.",
                    remedy: Sandbox.current?.missing(.turns)
                        ?? "Allow it to own these names in the configuration of the session bus."
                )
            )
        } catch {
            note(
                .bad(
                    "turns",
                    error.message,
                    remedy: "Try again; if the problem persists, log out and in.",
                    status: ExitCode(error.authErrorCode)
                )
            )
        }
    }

    private static func writeReadDelete(
        _ key: RecordKey,
        in store: any RecordStore,
        by deadline: Deadline
    ) throws(RecordStoreError) {
        let payload = Array("probe".utf8)
        defer { _ = try? store.update(key, by: deadline) { _ in .delete } }
        try store.update(key, by: deadline) { _ in .write(payload) }
        guard case .whole(let record) = try store.read(key, by: deadline), record.payload == payload else {
            throw RecordStoreError(.failed, "The keyring did not keep a record as it was written.")
        }
        guard case .none = try store.update(key, by: deadline, { _ in .delete }) else {
            throw RecordStoreError(.failed, "The keyring did not delete a record.")
        }
    }

    /// The time to wait for a signal, in milliseconds.
    private var wait: Int { Int(options.timeout.components.seconds) * 1000 }
}
