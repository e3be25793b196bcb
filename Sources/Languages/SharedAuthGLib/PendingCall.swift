internal import CSharedAuthGLib
internal import DesktopSupport
internal import SharedAuth

/// An async call on its way, which returns on the thread-default main context of its caller.
@safe final class PendingCall: @unchecked Sendable {
    // A GTask may be returned from any thread; the pointers never change.
    private let task: OpaquePointer
    private let cancellable: UnsafeMutablePointer<GCancellable>?
    private let name: String
    private let context = ContextReference()

    /// What a call gives.
    enum Answer: Sendable {
        /// That it was done.
        case done
        /// A text.
        case text(String)
        /// An object, or NULL.
        case object(ObjectReference?)
    }

    /// - Parameter tag: what the finish function knows the call by.
    init(
        of object: UnsafeMutableRawPointer,
        _ name: String,
        tag: UInt,
        _ cancellable: UnsafeMutablePointer<GCancellable>?,
        _ callback: GAsyncReadyCallback?,
        _ data: gpointer?
    ) {
        unsafe task = g_task_new(object, cancellable, callback, data)
        unsafe self.cancellable = cancellable
        self.name = name
        unsafe g_task_set_source_tag(task, UnsafeMutableRawPointer(bitPattern: tag))
        unsafe g_task_set_name(task, name)
        // What was done is reported, even if it was to be cancelled.
        unsafe g_task_set_check_cancellable(task, 0)
    }

    /// Carries the call out.
    ///
    /// - Parameter isAbandonable: whether it changes nothing, so that nobody need wait for its end once it is cancelled.
    func run(isAbandonable: Bool, _ work: @escaping @Sendable () async throws(AuthError) -> Answer) {
        guard unsafe g_cancellable_is_cancelled(cancellable) == 0 else { return finish(nil) }
        log("\(name) begins")
        let race = Race<Result<Answer, AuthError>?>()
        let running = Task {
            let result: Result<Answer, AuthError>
            do throws(AuthError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            race.finish(result)
        }
        let watch = watchCancellation {
            running.cancel()
            if isAbandonable { race.finish(nil) }
        }
        Task { [self] in
            let result = await race.result()
            // Outside a function that a cancellable calls, as this waits for those.
            if watch != 0 { unsafe g_cancellable_disconnect(cancellable, watch) }
            finish(result)
        }
    }

    private func watchCancellation(_ cancelled: @escaping @Sendable () -> Void) -> gulong {
        guard let cancellable = unsafe cancellable else { return 0 }
        return unsafe shared_auth_glue_watch(
            cancellable,
            { _, data in unsafe Unmanaged<Watch>.fromOpaque(data!).takeUnretainedValue().cancelled() },
            Unmanaged.passRetained(Watch(cancelled)).toOpaque(),
            { data in unsafe Unmanaged<Watch>.fromOpaque(data!).release() }
        )
    }

    private final class Watch: Sendable {
        let cancelled: @Sendable () -> Void

        init(_ cancelled: @escaping @Sendable () -> Void) { self.cancelled = cancelled }
    }

    /// Returns the result, and gives the task up, on the context of the caller: what ends with it, such as a callback in Python, must not
    /// end on a thread of Swift's.
    ///
    /// - Parameter result: nil if it was cancelled, and nothing was done.
    private func finish(_ result: Result<Answer, AuthError>?) {
        context.invoke { [self] in
            give(result)
            unsafe g_object_unref(UnsafeMutableRawPointer(task))
        }
    }

    private func give(_ result: Result<Answer, AuthError>?) {
        switch result {
        case .success(.done):
            log("\(name) is done")
            unsafe g_task_return_boolean(task, 1)
        case .success(.text(let text)):
            log("\(name) is done")
            unsafe g_task_return_pointer(task, copy(text), g_free)
        case .success(.object(let object)):
            log("\(name) is done")
            unsafe g_task_return_pointer(task, object.map { unsafe g_object_ref($0.pointer) }, g_object_unref)
        case .failure(let error) where !isCancelled || error.code == .outcomeUnknown:
            log("\(name) failed: \(error.code.name)")
            unsafe g_task_return_error(task, error.asGError)
        case .failure, nil:
            log("\(name) was cancelled")
            let code = gint(G_IO_ERROR_CANCELLED.rawValue)
            unsafe g_task_return_error(task, g_error_new_literal(g_io_error_quark(), code, "The call was cancelled."))
        }
    }

    private var isCancelled: Bool { unsafe g_cancellable_is_cancelled(cancellable) != 0 }
}

/// Whether a result is one of a call of this object; a critical if not.
func isResult(
    _ result: OpaquePointer?,
    of object: UnsafeMutableRawPointer?,
    tag: UInt,
    _ function: StaticString
) -> Bool {
    guard let result = unsafe result, unsafe g_task_is_valid(UnsafeMutableRawPointer(result), object) != 0,
        unsafe g_task_get_source_tag(result) == UnsafeMutableRawPointer(bitPattern: tag)
    else {
        critical(function, "g_task_is_valid (result, session)")
        return false
    }
    return true
}
