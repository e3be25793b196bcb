internal import CSharedAuthGLib
internal import DesktopSupport
internal import SharedAuth
internal import Synchronization

/// An asynchronous call in progress, which completes in the thread-default main context of its caller.
@safe final class PendingCall: @unchecked Sendable {
    // Never change; a GTask can complete on any thread.
    private let task: OpaquePointer
    private let cancellable: CancellablePointer?
    private let kept: UnsafeMutableRawPointer?
    private let name: String
    private let context = ContextReference()
    private let progress = Mutex(Progress())

    private struct Progress {
        /// Stops the work, as a cancellation does; nil while there is none.
        var stop: (@Sendable () -> Void)?
        /// The reason why the call was interrupted, other than its cancellation.
        var interruption: AuthError?
    }

    /// The result of a successful call.
    enum Output: Sendable {
        /// No value: the finish function returns TRUE.
        case done
        /// A string.
        case text(String)
        /// An object, or NULL for nil.
        case object(ObjectReference?)
    }

    /// - Parameters:
    ///   - kept: An object that the call needs until it completes, besides its own.
    ///   - tag: Identifies the call to its finish function.
    init(
        of object: UnsafeMutableRawPointer,
        keeping kept: ObjectReference? = nil,
        _ name: String,
        tag: UInt,
        _ cancellable: CancellablePointer?,
        _ callback: GAsyncReadyCallback?,
        _ data: gpointer?
    ) {
        unsafe task = g_task_new(object, cancellable, callback, data)
        unsafe self.cancellable = cancellable
        unsafe self.kept = kept.map { unsafe g_object_ref($0.pointer) }
        self.name = name
        unsafe g_task_set_source_tag(task, UnsafeMutableRawPointer(bitPattern: tag))
        unsafe g_task_set_name(task, name)
        // A call that completed despite its cancellation reports its result.
        unsafe g_task_set_check_cancellable(task, 0)
    }

    /// The way in which a running call ends when it is cancelled.
    enum CancellationRule {
        /// The call returns `G_IO_ERROR_CANCELLED` without waiting for its work, which changes nothing.
        case returnImmediately
        /// The work is cancelled. If it fails, nothing has changed, and the call returns `G_IO_ERROR_CANCELLED`.
        case cancelWork
        /// The work is cancelled. If it fails, the call returns the failure, because it may have changed the user.
        case reportFailure
    }

    /// Runs the call.
    ///
    /// - Parameter ended: Runs before the call returns its result.
    func run(
        cancelling rule: CancellationRule,
        ended: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () async throws(AuthError) -> Output
    ) {
        guard !isCancelled else {
            ended()
            return finish(nil)
        }
        log("\(name) started")
        let race = Race<Result<Output, AuthError>?>()
        let running = Task {
            let result: Result<Output, AuthError>
            do throws(AuthError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            race.finish(result)
        }
        let stop: @Sendable () -> Void = {
            running.cancel()
            if rule == .returnImmediately { race.finish(nil) }
        }
        let watch = watchCancellation(stop)
        let isInterrupted = progress.withLock { progress in
            progress.stop = stop
            return progress.interruption != nil
        }
        if isInterrupted { stop() }
        Task { [self] in
            let result = await race.result()
            // Not from a `cancelled` handler: disconnecting waits for running handlers.
            if watch != 0 { unsafe g_cancellable_disconnect(cancellable, watch) }
            let isStopped = progress.withLock { progress in
                progress.stop = nil
                return progress.interruption != nil
            }
            ended()
            finish((isStopped || isCancelled) && rule != .reportFailure ? result.flatMap(Self.cancelled) : result)
        }
    }

    /// Stops the call as a cancellation does. If it changes nothing, it fails with `error`.
    func interrupt(by error: AuthError) {
        let stop = progress.withLock { progress in
            progress.interruption = error
            return progress.stop
        }
        stop?()
    }

    /// Returns nil for a failure that left everything unchanged, and any other result as it is.
    private static func cancelled(_ result: Result<Output, AuthError>) -> Result<Output, AuthError>? {
        if case .failure(let error) = result, error.code != .outcomeUnknown { return nil }
        return result
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

    /// Completes the task and releases it and what the call kept, in the caller's context. The release may run code of the app's language,
    /// such as the finalizer of a Python callback, which must not run on a Swift thread.
    ///
    /// - Parameter result: The result; nil if the call was cancelled or interrupted.
    private func finish(_ result: Result<Output, AuthError>?) {
        context.invoke { [self] in
            complete(result)
            unsafe g_object_unref(UnsafeMutableRawPointer(task))
            if let kept = unsafe kept { unsafe g_object_unref(kept) }
        }
    }

    private func complete(_ result: Result<Output, AuthError>?) {
        switch result {
        case .success(.done):
            log("\(name) succeeded")
            unsafe g_task_return_boolean(task, 1)
        case .success(.text(let text)):
            log("\(name) succeeded")
            unsafe g_task_return_pointer(task, copy(text), g_free)
        case .success(.object(let object)):
            log("\(name) succeeded")
            unsafe g_task_return_pointer(task, object.map { unsafe g_object_ref($0.pointer) }, g_object_unref)
        case .failure(let error):
            log("\(name) failed: \(error.code.name)")
            unsafe g_task_return_error(task, error.asGError)
        case nil:
            if !isCancelled, let interruption = progress.withLock({ $0.interruption }) {
                return complete(.failure(interruption))
            }
            log("\(name) was cancelled")
            let code = gint(G_IO_ERROR_CANCELLED.rawValue)
            unsafe g_task_return_error(task, g_error_new_literal(g_io_error_quark(), code, "The call was cancelled."))
        }
    }

    private var isCancelled: Bool { unsafe g_cancellable_is_cancelled(cancellable) != 0 }
}

/// Returns whether a result belongs to a call of this object with this tag; if not, logs a critical.
func isResult(
    _ result: OpaquePointer?,
    of object: UnsafeMutableRawPointer?,
    tag: UInt,
    _ function: StaticString
) -> Bool {
    guard let result = unsafe result, unsafe g_task_is_valid(UnsafeMutableRawPointer(result), object) != 0,
        unsafe g_task_get_source_tag(result) == UnsafeMutableRawPointer(bitPattern: tag)
    else {
        critical(function, "g_task_is_valid (result, object)")
        return false
    }
    return true
}
