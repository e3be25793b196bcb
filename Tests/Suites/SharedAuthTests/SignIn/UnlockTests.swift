import SecretService
import TestSupport
import Testing

@testable import SharedAuth

struct UnlockTests {
    @Test(
        "An unlock that times out blames the prompt unless the keyring names a reason",
        arguments: [nil, .unansweredPrompt, .muteBus] as [SecretServiceError.Circumstance?]
    )
    func lateAnswer(circumstance: SecretServiceError.Circumstance?) async throws {
        var reason = SecretServiceError(code: .timedOut, message: "Unlock: no reply.")
        reason.circumstance = circumstance
        let store = LateStore(reason: circumstance == nil ? nil : reason)
        let auth = try MemoryApp().start { $0.store = .custom(store) }
        let error = try #require(await expectFailure(.timedOut) { try await auth.unlock() })
        #expect(error.message.contains("the prompt was not answered in time") == (circumstance != .muteBus))
    }
}

/// An in-memory store whose unlock times out.
private struct LateStore: ForwardingRecordStore {
    let base = InMemoryRecordStore()
    let reason: SecretServiceError?

    func unlock(by deadline: Deadline) throws(RecordStoreError) {
        throw RecordStoreError(.timedOut, "The store did not reply in time.", underlying: reason)
    }
}
