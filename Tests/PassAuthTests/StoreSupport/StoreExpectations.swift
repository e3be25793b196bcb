import PassAuth
import Testing

/// Expects a call of the store to fail with a code, and with a message that holds none of these words.
func expectFailure<Value>(
    _ code: PassStoreError.Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(PassStoreError) -> Value
) {
    do throws(PassStoreError) {
        _ = try call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        for word in words { #expect(!error.description.contains(word), "\(error)", sourceLocation: sourceLocation) }
    }
}
