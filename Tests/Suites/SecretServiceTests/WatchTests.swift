import DesktopSupport
import SecretService
import TestSupport
import Testing

struct WatchTests {
    let keyring: PrivateKeyring
    let service: SecretService

    init() throws {
        keyring = try PrivateKeyring()
        service = keyring.makeService()
    }

    @Test("Another connection's create, replace, set and delete are reported in order")
    func changesInOrder() throws {
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        let other = keyring.makeService()
        let item = try other.store("one", as: "a")
        try other.store("two", as: "a")
        try item.delete()
        #expect(events.first { $0 == .item(path: item.path, .deleted) } != nil)
        let kinds = events.events.compactMap { event -> SecretServiceChange.Kind? in
            if case .item(item.path, let kind) = event { kind } else { nil }
        }
        #expect(kinds.first == .created)
        #expect(kinds.last == .deleted)
        // GNOME Keyring reports the replacement as a creation.
        #expect(kinds.count { $0 == .created } == 2)
        watch.cancel()
    }

    @Test("Locking is reported")
    func locking() throws {
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        let collection = try service.defaultCollection()
        try service.lock([collection])
        #expect(events.first { $0 == .lockChanged(collection: collection.path, locked: true) } != nil)
        #expect(events.first { $0 == .collection(path: collection.path, .changed) } != nil)
        watch.cancel()
    }

    @Test("A watch survives restarts of the daemon")
    func daemonRestarts() throws {
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        try keyring.killDaemon()
        #expect(events.first { $0 == .daemonVanished } != nil)
        try keyring.startDaemon(unlocked: true)
        let name = try service.daemon().uniqueName
        #expect(events.first { $0 == .daemonAppeared(uniqueName: name) } != nil)
        let item = try keyring.makeService().store("x", as: "after")
        #expect(events.first { $0 == .item(path: item.path, .created) } != nil)
        watch.cancel()
    }

    @Test("A watch needs no daemon")
    func watchWithoutDaemon() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let events = Recorder<SecretServiceChange>()
        let watch = try keyring.makeService().watch(events.record)
        try keyring.startDaemon(unlocked: true)
        #expect(events.first { if case .daemonAppeared = $0 { true } else { false } } != nil)
        watch.cancel()
    }

    @Test("A cancelled watch reports nothing, and another continues")
    func cancelledWatch() throws {
        let silent = Recorder<SecretServiceChange>()
        let heard = Recorder<SecretServiceChange>()
        let cancelled = try service.watch(silent.record)
        let dropped = Recorder<SecretServiceChange>()
        _ = try service.watch(dropped.record)
        let watch = try service.watch(heard.record)
        cancelled.cancel()
        cancelled.cancel()
        let item = try service.store("x", as: "one")
        #expect(heard.first { $0 == .item(path: item.path, .created) } != nil)
        #expect(silent.events.isEmpty)
        #expect(dropped.events.isEmpty)
        watch.cancel()
    }

    @Test("Calls from within a handler are refused and do not hang")
    func callWithinHandler() throws {
        let refused = Recorder<SecretServiceError>()
        let service = service
        let watch = try service.watch { _ in
            do throws(SecretServiceError) {
                _ = try service.collections()
            } catch {
                refused.record(error)
            }
        }
        try keyring.makeService().store("x", as: "one")
        #expect(refused.first { $0.code == .invalidArgument } != nil)
        watch.cancel()
    }

    /// A call that would wait for the thread on which handlers run.
    enum Wait: CaseIterable {
        case call, daemon, watch, changes, name

        func begin(on service: SecretService) throws(SecretServiceError) {
            switch self {
            case .call: _ = try service.collections()
            case .daemon: _ = try service.daemon()
            case .watch: _ = try service.watch { _ in }
            case .changes: _ = try service.changes
            case .name: _ = try service.acquireName("com.example.Lock")
            }
        }
    }

    @Test("A call that waits for the handler's thread is refused", arguments: Wait.allCases, [false, true])
    func handlerWaitingForItself(wait: Wait, isClosed: Bool) throws {
        let service = keyring.makeService(timeout: .patience)
        // The name has another owner in this process, so a second request would have to wait.
        let name = try service.acquireName("com.example.Lock")
        let ends = Recorder<SecretServiceError?>()
        let watch = try service.watch { change in
            guard (change == .busClosed) == isClosed else { return }
            do throws(SecretServiceError) {
                try wait.begin(on: service)
                ends.record(nil)
            } catch {
                ends.record(error)
            }
        }
        if isClosed { keyring.killBus() } else { try keyring.makeService().store("x", as: "one") }
        let end = try #require(ends.first { _ in true })
        #expect(end?.code == .invalidArgument)
        watch.cancel()
        name.release()
    }

    @Test("The sequence delivers changes and ends when the bus closes", .timeLimit(.minutes(5)))
    func sequence() async throws {
        let changes = try service.changes
        let item = try service.store("x", as: "one")
        keyring.killBus()
        var seen: [SecretServiceChange] = []
        for await change in changes {
            seen.append(change)
        }
        #expect(seen.contains(.item(path: item.path, .created)))
        #expect(seen.last == .busClosed)
        #expect(seen.count { $0 == .busClosed } == 1)
    }

    /// The number of events that end a subscription, once all that arrived have been handled.
    private func ends(of events: Recorder<BusEvent>) -> Int {
        GLibThread.catchUp(by: .patient)
        return events.events.count { if case .closed = $0 { true } else { false } }
    }

    @Test("A subscription to a connection that is closed already is told so, once")
    func closedBefore() throws {
        let connection = try BusConnection.open(keyring.busAddress, by: .patient)
        let (early, late) = (Recorder<BusEvent>(), Recorder<BusEvent>())
        let rule = SignalRule.owner(of: "com.example.Name")
        let first = try #require(connection.subscribe(to: [rule], by: .patient, early.record))
        keyring.killBus()
        #expect(early.first { if case .closed = $0 { true } else { false } } != nil)
        let second = try #require(connection.subscribe(to: [rule], by: .patient, late.record))
        #expect(ends(of: late) == 1 && ends(of: early) == 1)
        withExtendedLifetime((first, second)) {}
    }

    @Test("A watch fails if the bus closes as it begins; the next uses the new connection")
    func closedMeanwhile() throws {
        let proxy = try BusProxy(keyring)
        defer { proxy.close() }
        var configuration = SecretService.Configuration(busAddress: .address(proxy.address), timeout: .patience)
        let earlier = Recorder<SecretServiceChange>()
        let isCut = Recorder<Bool>()
        configuration.interceptor = CallInterceptor { call, _ in
            guard call.member == "NameHasOwner", earlier.events.isEmpty, !isCut.events.isEmpty else { return nil }
            proxy.cutConnections()
            _ = earlier.first { $0 == .busClosed }
            return nil
        }
        let service = SecretService(configuration)
        let watch = try service.watch(earlier.record)
        isCut.record(true)
        let events = Recorder<SecretServiceChange>()
        expectFailure(\SecretServiceError.code, .busClosed) { _ = try service.watch(events.record) }
        GLibThread.catchUp(by: .patient)
        #expect(events.takeAll().count { $0 == .busClosed } <= 1)
        let again = try service.watch(events.record)
        let item = try keyring.makeService().store("x", as: "one")
        #expect(events.first { $0 == .item(path: item.path, .created) } != nil)
        for watch in [watch, again] { watch.cancel() }
    }

    @Test("A bus that refuses to report changes is told, now or at the next call", arguments: [0, 3])
    func refusedRules(limit: Int) throws {
        let events = Recorder<SecretServiceChange>()
        try keyring.limitMatchRules(to: limit)
        let error = expectFailure(\SecretServiceError.code, .denied) { _ = try service.watch(events.record) }
        #expect(error?.message.contains("LimitsExceeded") == true, "\(error?.message ?? "")")
        #expect(error?.remedy?.contains("max_match_rules_per_connection") == true)
        #expect(events.events == [.busClosed])
        let late = Recorder<SecretServiceChange>()
        let watch = try service.watchFromNextCall(late.record, by: .patient)
        _ = try service.collections()
        #expect(late.first { $0 == .busClosed } != nil)
        try keyring.limitMatchRules(to: 50)
        // The rules of the ended watches count no more.
        watch.cancel()
        let again = try service.watch(events.record)
        let item = try keyring.makeService().store("x", as: "one")
        #expect(events.first { $0 == .item(path: item.path, .created) } != nil)
        again.cancel()
    }
}
