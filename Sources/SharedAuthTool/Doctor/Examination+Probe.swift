internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SecretService
internal import SharedAuth

extension Examination {
    /// Whether a record can be written, read and deleted, and whether another connection hears of it.
    mutating func probe(for identity: AppIdentity) {
        probe(
            for: identity,
            in: store,
            heardBy: bystander,
            remedy: "See that the keyring application can store a password; look at the log of the provider."
        )
    }

    /// Whether a record can be written, read and deleted, and whether a watch hears of it.
    mutating func probe(
        for identity: AppIdentity,
        in store: any RecordStore,
        heardBy other: any RecordStore,
        remedy: String
    ) {
        let key = Self.probeKey(for: identity, options)
        let heard = DispatchSemaphore(value: 0)
        var watch: (any RecordWatch)?
        var deafness: RecordStoreError?
        do {
            watch = try other.watch(key, within: deadline) { event in
                if event == .changed { heard.signal() }
            }
        } catch {
            deafness = error
        }
        defer { withExtendedLifetime(other) { watch?.cancel() } }
        do throws(RecordStoreError) {
            try Self.writeReadDelete(key, in: store, within: deadline)
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
        if let deafness {
            return note(
                .bad(
                    "signals",
                    "No change can be heard: \(deafness.message)",
                    remedy: deafness.remedy ?? deafness.usualRemedy,
                    status: ExitCode(deafness.authErrorCode)
                )
            )
        }
        if heard.wait(timeout: .now() + .milliseconds(wait)) == .success {
            return note(.good("signals", "Others hear of it."))
        }
        note(
            .warning(
                "signals",
                "No news of it came, so apps do not hear at once of what others do.",
                remedy: "Update the provider, or call useUserAccessGroup again where an app has to know."
            )
        )
    }

    /// Whether processes take turns at changing a record.
    mutating func checkTurns(for identity: AppIdentity) {
        do throws(RecordStoreError) {
            if try store.sharesTurns(for: Self.probeKey(for: identity, options), within: deadline) {
                return note(.good("turns", "All processes take turns at changing a record."))
            }
            note(
                .warning(
                    "turns",
                    "This program may not own names below org.sharedauth, so it takes no turns with others: of two "
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
                    remedy: "Try again; if it stays so, log out and in.",
                    status: ExitCode(error.authErrorCode)
                )
            )
        }
    }

    private static func writeReadDelete(
        _ key: RecordKey,
        in store: any RecordStore,
        within deadline: Deadline
    ) throws(RecordStoreError) {
        let payload = Array("probe".utf8)
        defer { _ = try? store.update(key, within: deadline) { _ in .delete } }
        try store.update(key, within: deadline) { _ in .write(payload) }
        guard case .whole(let record) = try store.read(key, within: deadline), record.payload == payload else {
            throw RecordStoreError(.failed, "The provider did not keep a record as it was written.")
        }
        guard case .none = try store.update(key, within: deadline, { _ in .delete }) else {
            throw RecordStoreError(.failed, "The provider did not delete a record.")
        }
    }

    /// How long a signal may take, in milliseconds.
    private var wait: Int { Int(options.deadline.components.seconds) * 1000 }
}
