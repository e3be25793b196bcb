import Foundation
import TestSupport
import Testing

/// Programs that wait in different ways, each with its listeners where it wants them.
struct DeliveryTests {
    @Test(
        "Listeners and completions come in order, where the app wants them",
        arguments: ["main-queue", "dispatch-queue", "main-context", "serial-executor"]
    )
    func delivery(place: String) throws {
        let result = try run(place)
        #expect(result.standardError == "")
        #expect(result.status == 0)
        #expect(
            result.standardOutput.split(separator: "\n") == [
                "state nil here", "token nil here", "state x here", "token x here", "completion x here",
                "refused 17067 nil here", "token nil here", "end nil here",
            ]
        )
    }

    @Test("Where nothing calls listeners, the sequences still tell")
    func nowhere() throws {
        let result = try run("nowhere")
        #expect(result.standardOutput.split(separator: "\n") == ["state nil", "state x", "state nil"])
        #expect(result.status == 0)
    }

    private func run(_ place: String) throws -> ProcessResult {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        return try keyring.run(
            BuiltProducts.executable("TestPeer"),
            ["deliveries", place, "\(keyring.directory)/state"]
        )
    }
}
