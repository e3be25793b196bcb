package import SharedAuth
package import Testing

/// Expects a call to fail with a code, and gives the error.
@discardableResult
package func expectFailure<Value>(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) -> AuthError? {
    check(Result(catching: call), \AuthError.code, code, sourceLocation)
}

/// Expects a call to fail with a code, and gives the error.
@discardableResult
package func expectFailure<Value>(
    _ code: AuthErrorCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async -> AuthError? {
    check(await result(of: call), \AuthError.code, code, sourceLocation)
}

/// Expects a call of a store to fail with a code, and gives the error.
///
/// A code that `AuthErrorCode` has, too, is spelled out: `RecordStoreError.Code.timedOut`.
@discardableResult
@_disfavoredOverload
package func expectFailure<Value>(
    _ code: RecordStoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Value
) -> RecordStoreError? {
    check(Result(catching: call), \RecordStoreError.code, code, sourceLocation)
}

/// Expects a call of a store to fail with a code, and gives the error.
///
/// A code that `AuthErrorCode` has, too, is spelled out: `RecordStoreError.Code.timedOut`.
@discardableResult
@_disfavoredOverload
package func expectFailure<Value>(
    _ code: RecordStoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async -> RecordStoreError? {
    check(await result(of: call), \RecordStoreError.code, code, sourceLocation)
}

private func result<Value>(of call: () async throws -> Value) async -> Result<Value, any Error> {
    do {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}

private func check<Value, Failure: Error, Code: Equatable>(
    _ result: Result<Value, any Error>,
    _ path: KeyPath<Failure, Code>,
    _ code: Code,
    _ sourceLocation: SourceLocation
) -> Failure? {
    switch result {
    case .success:
        Issue.record("expected the failure \(code), but it succeeded", sourceLocation: sourceLocation)
        return nil
    case .failure(let error as Failure):
        #expect(error[keyPath: path] == code, "\(error)", sourceLocation: sourceLocation)
        return error
    case .failure(let error):
        Issue.record("expected the failure \(code), but got \(error)", sourceLocation: sourceLocation)
        return nil
    }
}
