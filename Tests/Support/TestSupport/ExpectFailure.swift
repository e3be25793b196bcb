package import SharedAuth
package import Testing

/// Expects a call to fail with a code, and returns the error.
@discardableResult
package func expectFailure<Value>(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) -> AuthError? {
    expectFailure(\AuthError.code, code, sourceLocation: sourceLocation, call)
}

/// Expects a call to fail with a code, and returns the error.
@discardableResult
package func expectFailure<Value>(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async -> AuthError? {
    await expectFailure(\AuthError.code, code, sourceLocation: sourceLocation, call)
}

/// Expects a call to fail with an error that has this code, such as `\HTTPError.code` and `.timedOut`, and returns the
/// error.
///
/// The error's text must consist of sentences and must not contain any of `words`.
@discardableResult
package func expectFailure<Failure: Error, Code: Equatable, Value>(
    _ path: KeyPath<Failure, Code>,
    _ code: Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) -> Failure? {
    check(Result(catching: call), path, code, words, sourceLocation)
}

/// Expects a call to fail with an error that has this code, such as `\HTTPError.code` and `.timedOut`, and returns the
/// error.
///
/// The error's text must consist of sentences and must not contain any of `words`.
@discardableResult
package func expectFailure<Failure: Error, Code: Equatable, Value>(
    _ path: KeyPath<Failure, Code>,
    _ code: Code,
    without words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async -> Failure? {
    let result: Result<Value, any Error>
    do {
        result = .success(try await call())
    } catch {
        result = .failure(error)
    }
    return check(result, path, code, words, sourceLocation)
}

private func check<Value, Failure: Error, Code: Equatable>(
    _ result: Result<Value, any Error>,
    _ path: KeyPath<Failure, Code>,
    _ code: Code,
    _ words: [String],
    _ sourceLocation: SourceLocation
) -> Failure? {
    switch result {
    case .success:
        Issue.record("expected the failure \(code), but it succeeded", sourceLocation: sourceLocation)
        return nil
    case .failure(let error as Failure):
        #expect(error[keyPath: path] == code, "\(error)", sourceLocation: sourceLocation)
        let text = String(describing: error)
        // The code may follow the last sentence.
        #expect(text.firstMatch(of: /\.\)?( \([\w-]+\))?$/) != nil, "\(text)", sourceLocation: sourceLocation)
        for word in words { #expect(!text.contains(word), sourceLocation: sourceLocation) }
        return error
    case .failure(let error):
        Issue.record("expected the failure \(code), but got \(error)", sourceLocation: sourceLocation)
        return nil
    }
}
