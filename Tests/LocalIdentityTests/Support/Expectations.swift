import SharedAuth
import Testing

/// Expects a call to fail with a code, and gives the error.
@discardableResult
func expectFailure<Value>(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws(AuthError) -> Value
) async -> AuthError? {
    do throws(AuthError) {
        _ = try await call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    }
}
