internal import DesktopSupport
internal import SharedAuth

/// Runs a request whose answer begins a session, and which is therefore not cancelled with the caller's task. The
/// caller leaves at once; an answer that nobody waits for any more goes to `late`, which ends its session.
///
/// - Throws: `webContextCancelled` if the caller's task is cancelled; then nothing is sent if it was cancelled before.
func outlivingCaller<Value: Sendable>(
    _ request: @escaping @Sendable () async throws(AuthError) -> Value,
    late: @escaping @Sendable (Value) async -> Void
) async throws(AuthError) -> Value {
    if Task.isCancelled { throw .cancelledSignIn }
    let race = Race<Result<Value, AuthError>>()
    return try await withTaskCancellationHandler {
        // Within the handler, so that no cancellation comes too early for it and too late for the request.
        Task {
            do throws(AuthError) {
                let value = try await request()
                if !race.finish(.success(value)) { await late(value) }
            } catch {
                race.finish(.failure(error))
            }
        }
        return await race.result()
    } onCancel: {
        race.finish(.failure(.cancelledSignIn))
    }.get()
}
