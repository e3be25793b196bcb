import SharedAuth
import Testing

/// Expects a call of a store to fail with a code, and hands the error on.
@discardableResult
func expectFailure(
    _ code: RecordStoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(RecordStoreError) -> Void
) -> RecordStoreError? {
    do throws(RecordStoreError) {
        try call()
        Issue.record("it succeeded", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    }
}
