import PassAuth
import Testing

/// Expects a call to fail with a code and with a message that ends like a sentence and holds none of these words.
func expectFailure<Value>(
    _ code: PassTokenError.Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) {
    do {
        _ = try call()
        Issue.record("expected the failure \(code.rawValue), but it succeeded", sourceLocation: sourceLocation)
    } catch let error as PassTokenError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.message.hasSuffix("."), "\(error)", sourceLocation: sourceLocation)
        for word in words { #expect(!error.description.contains(word), "\(error)", sourceLocation: sourceLocation) }
    } catch {
        Issue.record("expected the failure \(code.rawValue), but got \(error)", sourceLocation: sourceLocation)
    }
}

/// Expects a call of the store to fail with a code, and with a message that holds none of these words.
func expectFailure<Value>(
    _ code: PassStoreError.Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) {
    do {
        _ = try call()
        Issue.record("expected the failure \(code.rawValue), but it succeeded", sourceLocation: sourceLocation)
    } catch let error as PassStoreError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        for word in words { #expect(!error.description.contains(word), "\(error)", sourceLocation: sourceLocation) }
    } catch {
        Issue.record("expected the failure \(code.rawValue), but got \(error)", sourceLocation: sourceLocation)
    }
}
