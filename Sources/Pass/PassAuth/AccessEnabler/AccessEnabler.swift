internal import FoundationEssentials
public import SharedAuth
internal import Synchronization

/// The entitlement flows of Adobe Pass: sign-in with a TV provider, authorization, media tokens, log-out.
///
/// Calls and callbacks are those of Adobe's SDK 3 for iOS and tvOS. A call returns immediately and may be made from any
/// thread. Its results go to the ``delegate`` and to ``events``, in order; the asynchronous form of the call, which has
/// the same name, returns them. Calls made before `setRequestor` has ended wait for it and then begin in order, except
/// `logout()`, `setOptions` and `handleExternalURL`, which begin immediately, and `preauthorize`, which fails if
/// `setRequestor` was never called. Several calls may be in progress at a time and may end in any order.
///
/// Tokens are stored in a ``PassTokenStore``: a user who signs in in one app is signed in in every app of its group. If
/// the back end accepts only an app's own sign-ins (``PassBackend/profileClients``), each app has its own token. A
/// locked or unavailable store is never reported as "signed out": the error string is then
/// ``EntitlementConstant/INTERNAL_AUTHENTICATION_ERROR``, and the report `500` has the reason.
///
/// Create one instance for each programmer of an app, and keep a reference to it: nothing is delivered after it is
/// deallocated.
public final class AccessEnabler: Sendable {
    /// The store of the tokens.
    public let tokens: PassTokenStore

    let runner: EntitlementRunner
    private let dispatcher: EventDispatcher
    private let options: Mutex<ClientOptions>

    /// Creates an AccessEnabler; nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - softwareStatement: The statement from Adobe with which the app registers.
    ///   - tokens: The store of the tokens; `setRequestor` runs its integrity check.
    ///   - backEnd: The back end: Pass's servers, or the app's own.
    ///   - settings: The sign-in and log-out settings.
    ///   - listenerExecutor: The executor that calls the delegate.
    public convenience init(
        _ softwareStatement: String,
        tokens: PassTokenStore,
        backEnd: any PassBackend,
        settings: Settings = Settings(),
        listenerExecutor: ListenerExecutor = .automatic
    ) {
        self.init(
            softwareStatement,
            tokens: tokens,
            backEnd: backEnd,
            settings: settings,
            listenerExecutor: listenerExecutor,
            elapsed: ContinuousClock.stopwatch(),
            wait: { duration in (try? await Task.sleep(for: duration)) != nil }
        )
    }

    /// Creates an AccessEnabler with its own integrity check, which replaces the one in the store's options.
    ///
    /// - Parameters:
    ///   - storageCheck: The check that `setRequestor` runs.
    ///   - softwareStatement: The statement from Adobe with which the app registers.
    ///   - tokens: The store of the tokens.
    ///   - backEnd: The back end: Pass's servers, or the app's own.
    ///   - settings: The sign-in and log-out settings.
    ///   - listenerExecutor: The executor that calls the delegate.
    public convenience init(
        storageCheck: IntegrityCheck,
        softwareStatement: String,
        tokens: PassTokenStore,
        backEnd: any PassBackend,
        settings: Settings = Settings(),
        listenerExecutor: ListenerExecutor = .automatic
    ) {
        self.init(
            softwareStatement,
            tokens: tokens.checking(storageCheck),
            backEnd: backEnd,
            settings: settings,
            listenerExecutor: listenerExecutor
        )
    }

    /// - Parameters:
    ///   - elapsed: The time since a fixed moment, by a monotonic clock.
    ///   - wait: Waits for a duration; returns false if it was cancelled.
    init(
        _ softwareStatement: String,
        tokens: PassTokenStore,
        backEnd: any PassBackend,
        settings: Settings,
        listenerExecutor: ListenerExecutor,
        elapsed: @escaping @Sendable () -> Duration,
        wait: @escaping EntitlementRunner.Wait
    ) {
        self.tokens = tokens
        options = Mutex(settings.options)
        let dispatcher = EventDispatcher(CallLine(listenerExecutor))
        self.dispatcher = dispatcher
        runner = EntitlementRunner(
            EntitlementEngine(settings.rules(for: tokens), options: settings.options),
            store: EntitlementStore(tokens: tokens.counting { backEnd.profileClients }),
            caller: BackEndCaller(backEnd: backEnd, softwareStatement: softwareStatement),
            limit: settings.timeout,
            pause: ServerPause(elapsed: elapsed, now: tokens.options.now),
            wait: wait,
            tell: { dispatcher.tell($0) }
        )
    }

    deinit {
        runner.stop()
        dispatcher.end()
    }

    /// The receiver of the results of calls; held weakly.
    public var delegate: (any EntitlementDelegate & EntitlementStatus)? {
        get { dispatcher.delegate }
        set { dispatcher.delegate = newValue }
    }

    /// The events sent to the delegate from now on. Each access returns a new sequence, which finishes when the
    /// AccessEnabler is deallocated.
    public var events: AsyncStream<EntitlementEvent> { dispatcher.events }

    /// Sets options for all later calls to the back end; see ``ClientOptions/set(_:)``.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue`; no option is changed then.
    public func setOptions(_ options: [String: String]) throws(PassTokenError) {
        let changed = try self.options.withLock { (kept) throws(PassTokenError) in
            try kept.set(options)
            return kept
        }
        runner.call { _ in .setOptions(changed) }
    }

    func post(_ event: @escaping @Sendable () -> Void) { dispatcher.line.post(event) }
}

extension PassTokenStore {
    /// Returns the same store with another integrity check.
    fileprivate func checking(_ check: IntegrityCheck) -> PassTokenStore {
        var options = options
        options.integrityCheck = check
        return PassTokenStore(appID: appID, group: group, in: store, device: device, options: options)
    }
}
