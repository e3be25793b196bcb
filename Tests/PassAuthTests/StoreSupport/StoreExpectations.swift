import PassAuth
import Testing

/// Expects a call of the store to fail with a code.
func expectFailure<Value>(
    _ code: PassStoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(PassStoreError) -> Value
) {
    do throws(PassStoreError) {
        _ = try call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
