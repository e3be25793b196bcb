import SharedAuth
import Testing

/// Expects a call to fail with a code.
func expectFailure(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(AuthError) -> Void
) {
    do throws(AuthError) {
        try call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
