import SecretService
import TestSupport
import Testing

struct PromptTests {
    let keyring: PrivateKeyring

    init() throws {
        keyring = try PrivateKeyring(state: .noDaemon)
    }

    /// Starts a daemon that also owns the bus name `name`, by default that of a kind that survives a dismissal.
    private func start(
        _ outcome: String,
        owning name: String = "org.keepassxc.KeePassXC.MainWindow",
        hasDisplay: Bool = true
    ) throws -> (
        service: SecretService, calls: Recorder<BusCall>
    ) {
        let calls = Recorder<BusCall>()
        let service = keyring.makeService(
            hasDisplay: hasDisplay,
            // Records a call after its reply, so that a prompt is shown when `Prompt` is recorded.
            interceptor: CallInterceptor { call, proceed in
                _ = proceed()
                calls.record(call)
                return nil
            }
        )
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        let words = ["scripted-daemon", "prompts=\(outcome)", "owning=\(name)"]
        _ = try keyring.start(try BuiltProducts.executable("TestDaemon"), words)
        _ = try #require(events.first { if case .daemonAppeared = $0 { true } else { false } })
        watch.cancel()
        return (service, calls)
    }

    @Test("A completed prompt creates the item, deletes it, and unlocks it")
    func completedPrompt() throws {
        let (service, calls) = try start("complete")
        let item = try service.store("x", as: "one")
        #expect(item.path == "/org/freedesktop/secrets/collection/scripted/1")
        try item.delete()
        try service.unlock([item])
        #expect(calls.events.count { $0.member == "Prompt" } == 3)
    }

    @Test("A dismissed prompt throws `dismissed` with a known outcome")
    func dismissedPrompt() throws {
        let (service, _) = try start("dismiss")
        let item = service.item(at: "/org/freedesktop/secrets/collection/scripted/1")
        for attempt: () throws -> Void in [
            { try service.store("x", as: "one") }, { try item.delete() }, { try service.unlock([item]) },
        ] {
            let error = try #require(throws: SecretServiceError.self, performing: attempt)
            #expect(error.code == .dismissed)
            #expect(error.outcomeIsUnknown == false)
        }
    }

    @Test("A prompt that never completes is dismissed at the deadline")
    func endlessPrompt() throws {
        let (service, calls) = try start("silent")
        let collection = try service.defaultCollection()
        let error = try #require(throws: SecretServiceError.self) {
            _ = try collection.createItem(
                label: "x",
                attributes: ["test": "one"],
                secret: Secret("x"),
                by: .after(.milliseconds(200))
            )
        }
        #expect(error.code == .timedOut)
        #expect(error.outcomeIsUnknown)
        #expect(calls.events.last?.member == "Dismiss")
    }

    @Test(
        "A dismissal is sent only to daemons that are known to survive it",
        arguments: [
            ("org.gnome.keyring", false), ("org.example.Unknown", false), ("org.kde.kwalletd5", true),
            ("org.kde.kwalletd6", true), ("org.kde.ksecretd", true), ("org.keepassxc.KeePassXC.MainWindow", true),
        ]
    )
    func dismissal(_ name: String, isSent: Bool) throws {
        let (service, calls) = try start("silent", owning: name)
        let error = try #require(throws: SecretServiceError.self) {
            try service.unlock([service.defaultCollection()], by: .after(.milliseconds(200)))
        }
        #expect(error.code == .timedOut)
        #expect(calls.events.contains { $0.member == "Prompt" })
        #expect(calls.events.contains { $0.member == "Dismiss" } == isSent)
    }

    @Test("A prompt that could not be shown is not dismissed")
    func refusedPrompt() throws {
        let daemon = try ScriptedDaemon(
            "prompts=silent",
            "owning=org.kde.ksecretd",
            "error=Prompt:org.freedesktop.DBus.Error.Failed"
        )
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        expectFailure(\SecretServiceError.code, .protocolViolation) {
            try service.store("x", as: "one")
        }
        #expect(calls.takeAll().last == "Prompt")
    }

    @Test("The outcome is unknown if the daemon dies while its prompt is shown")
    func daemonDiesDuringPrompt() throws {
        let (service, _) = try start("vanish")
        let error = try #require(throws: SecretServiceError.self) { try service.store("x", as: "one") }
        #expect(error.code == .noDaemon)
        #expect(error.outcomeIsUnknown)
    }

    @Test("Without a display no prompt is shown, and unprompted calls succeed")
    func withoutDisplay() throws {
        let (service, calls) = try start("silent", hasDisplay: false)
        for attempt: () throws -> Void in [
            { try service.unlock([service.defaultCollection()]) },
            { _ = try service.createCollection(label: "Office") },
        ] {
            let error = try #require(throws: SecretServiceError.self, performing: attempt)
            #expect(error.code == .dismissed)
            #expect(error.outcomeIsUnknown == false)
            #expect(error.message.contains("DISPLAY"))
        }
        #expect(calls.events.count { $0.member == "Prompt" } == 0)
        // A prompt that was never shown is not dismissed either: a dismissal could crash the daemon.
        #expect(calls.events.count { $0.member == "Dismiss" } == 0)
    }

    @Test("A write that an unlocked daemon prompts for needs no display")
    func promptWithoutDisplay() throws {
        let (service, _) = try start("complete", hasDisplay: false)
        try service.store("x", as: "one").delete()
    }

    @Test("A collection is created by one prompt and has its label")
    func collectionByPrompt() throws {
        let (service, calls) = try start("complete")
        let made = try service.createCollection(label: "Office")
        #expect(made.path == "/org/freedesktop/secrets/collection/made")
        #expect(try made.label() == "Office")
        #expect(calls.events.count { $0.member == "Prompt" } == 1)
        expectFailure(\SecretServiceError.code, .invalidArgument) { try service.createCollection(label: "") }
    }

    @Test("The wait for a prompt can be cancelled", .timeLimit(.minutes(5)))
    func cancelledPrompt() async throws {
        let (service, calls) = try start("silent")
        let cancellation = Cancellation()
        let patience = Deadline.after(.seconds(90), cancelledBy: cancellation)
        let outcome = inBackground { Result { try service.createCollection(label: "Office", by: patience) } }
        _ = try #require(calls.first { $0.member == "Prompt" })
        cancellation.cancel()
        guard case .failure(let error as SecretServiceError) = try #require(outcome.first { _ in true }) else {
            Issue.record("the collection was created")
            return
        }
        #expect(error.code == .dismissed)
        #expect(error.outcomeIsUnknown == false)
        #expect(calls.first { $0.member == "Dismiss" } != nil)
        // A call that is cancelled before it begins shows no prompt.
        expectFailure(\SecretServiceError.code, .dismissed) {
            try service.unlock([service.defaultCollection()], by: patience)
        }
    }
}
