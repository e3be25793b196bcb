import SharedAuth
import Testing

/// Expects a call to fail with a code, and hands the error on.
@discardableResult
func expectFailure(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws(AuthError) -> Void
) async -> AuthError? {
    do throws(AuthError) {
        try await call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    }
}
