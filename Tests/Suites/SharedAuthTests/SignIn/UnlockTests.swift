import SecretService
import TestSupport
import Testing

@testable import SharedAuth

struct UnlockTests {
    @Test(
        "An unlock that times out blames the prompt unless the keyring names another reason",
        arguments: [nil, .unansweredPrompt, .muteBus] as [SecretServiceError.Circumstance?]
    )
    func lateAnswer(circumstance: SecretServiceError.Circumstance?) async throws {
        var reason = SecretServiceError(code: .timedOut, message: "Unlock: no reply.")
        reason.circumstance = circumstance
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            store: .custom(LateStore(reason: circumstance == nil ? nil : reason)),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
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
