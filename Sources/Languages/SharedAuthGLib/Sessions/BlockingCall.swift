internal import CSharedAuthGLib
internal import Synchronization

/// A call that blocks its thread until it has its result.
///
/// The thread runs a main context of its own, in which the call completes. If no other thread runs the main context of
/// the session, the calling thread keeps it from running, and emits in its place what the call needs: the requests of a
/// custom provider, and afterwards the changes of the session.
@safe final class BlockingCall: @unchecked Sendable {
    private let session: SessionCore?
    private let audience: RequestAudience?
    // Used on the calling thread only.
    private var result: OpaquePointer?
    private var substitute: RequestAudience.Substitute?

    /// The calls in progress, of which each waits for the context of its session if another one has it.
    private static let all = Mutex<[ObjectIdentifier: Waiting]>([:])

    private struct Waiting {
        let call: BlockingCall
        let own: ContextReference
    }

    private init(_ session: SessionCore?) {
        self.session = session
        audience = try? session?.engine.audience
    }

    /// Begins a call, waits for its result, and returns what `finish` makes of it.
    ///
    /// - Parameters:
    ///   - session: The session of the call; nil if the call fails because there is none.
    ///   - begin: Begins the call, which must call the callback.
    static func run<Value>(
        _ session: SessionCore?,
        _ begin: (GAsyncReadyCallback, gpointer) -> Void,
        _ finish: (OpaquePointer?) -> Value
    ) -> Value {
        let call = BlockingCall(session)
        let context = unsafe g_main_context_new()
        unsafe g_main_context_push_thread_default(context)
        let own = ContextReference()
        all.withLock { $0[ObjectIdentifier(call)] = Waiting(call: call, own: own) }
        call.standIn(with: own)
        unsafe begin(
            { _, result, call in
                let call = unsafe Unmanaged<BlockingCall>.fromOpaque(call!).takeUnretainedValue()
                unsafe call.result = result.map { unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer($0))) }
            },
            Unmanaged.passUnretained(call).toOpaque()
        )
        while unsafe call.result == nil { unsafe g_main_context_iteration(context, 1) }
        unsafe g_main_context_pop_thread_default(context)
        unsafe g_main_context_unref(context)
        all.withLock { $0[ObjectIdentifier(call)] = nil }
        if call.substitute != nil { session?.deliver() }
        let value = unsafe finish(call.result)
        unsafe g_object_unref(UnsafeMutableRawPointer(call.result))
        call.stepBack()
        return value
    }

    /// Takes the place of the thread that runs the session's context, if there is none.
    private func standIn(with own: ContextReference) {
        guard substitute == nil, let session, session.context.acquire() else { return }
        let substitute = RequestAudience.Substitute(home: session.context, own: own)
        self.substitute = substitute
        audience?.begin(substitute)
    }

    /// Lets the session's context run again. A call that waits for it on another thread takes it.
    private func stepBack() {
        guard let substitute else { return }
        audience?.end(substitute)
        substitute.home.release()
        let others = Self.all.withLock { all in
            all.values.filter { $0.call.session?.context.isSame(as: substitute.home) == true }
        }
        for other in others { other.own.invoke { other.call.standIn(with: other.own) } }
    }
}
