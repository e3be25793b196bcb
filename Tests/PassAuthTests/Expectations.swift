import PassAuth
import Testing

/// Expects a call to fail with a code and with a message that ends like a sentence and holds none of these words.
func expectFailure(
    _ code: PassTokenError.Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(PassTokenError) -> Void
) {
    do throws(PassTokenError) {
        try call()
        Issue.record("expected failure \(code.rawValue)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.message.hasSuffix("."), "\(error)", sourceLocation: sourceLocation)
        for word in words { #expect(!error.description.contains(word), "\(error)", sourceLocation: sourceLocation) }
    }
}
