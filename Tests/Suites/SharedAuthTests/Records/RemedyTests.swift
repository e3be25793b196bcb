import Testing

@testable import SecretService
@testable import SharedAuth

/// The message and the remedy that an app gets when a keyring fails.
struct RemedyTests {
    @Test(
        "The message says what is wrong, and only the remedy says what to do",
        arguments: [
            SecretServiceError.timedOut(doing: "waiting"), .muteBus(during: "Connecting"),
            .lostLock("org.example.Lock"),
            .timedOut(doing: "waiting", outcomeIsUnknown: true),
        ]
    )
    func saidOnce(below: SecretServiceError) throws {
        let error = AuthError(RecordStoreError(below))
        #expect(try !error.message.contains("Try again") && !error.message.contains(#require(error.remedy)))
        let sentences = error.text.split(separator: ".").map { $0.split(separator: " ").prefix(2) }
        #expect(Set(sentences).count == sentences.count, "\(error.text)")
    }
}
