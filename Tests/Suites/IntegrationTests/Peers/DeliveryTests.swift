import Foundation
import TestSupport
import Testing

/// Tests programs that wait in different ways, each with its own executor for listeners.
struct DeliveryTests {
    @Test(
        "Listeners and completions are called in order on the executor the app chose",
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

    @Test("Where nothing calls listeners, the sequences still deliver")
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

/// Tests programs that run both of the loops that call listeners, one, or none.
struct LoopTests {
    @Test(
        "Listeners and completions are called in order on any loop or inline executor",
        arguments: ["automatic-main-queue", "automatic-main-context", "automatic-served-main-queue", "inline-executor"]
    )
    func delivery(place: String) throws {
        #expect(
            try run(place) == [
                "state nil here", "token nil here", "state x here", "token x here", "completion x here",
                "refused 17067 nil here", "token nil here", "end nil here",
            ]
        )
    }

    @Test("With both loops running, the free one makes each call: once, in order, alone")
    func both() throws {
        #expect(try run("both") == ["in order true", "overlaps 0", "first by main-queue second by main-context"])
    }

    @Test("Undelivered announcements do not grow memory, and the last one is never lost")
    func neither() throws {
        let lines = try run("neither")
        let growth = try #require(lines.first?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) })
        #expect(growth < 4096, "\(lines)")
        #expect(lines.dropFirst() == ["called 100 last y"])
    }

    @Test(
        "A main-actor listener is called there, in order, for any executor and loops",
        arguments: ["view-model-main-context", "view-model-dispatch-queue", "view-model-both"]
    )
    func viewModel(scenario: String) throws {
        let uids = try #require(try run(scenario).first).split(separator: " ")
        // The first sign-in may precede or follow the first load's result.
        #expect(uids.drop { $0 == "nil" } == (0..<10).map { "\($0)" }[...])
    }

    @Test("A sequence can be read on an inline executor, with calls to the Auth in between")
    func inlineSequence() throws {
        #expect(try run("inline-sequence") == ["nil x nil"])
    }

    private func run(_ scenario: String) throws -> [String] {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let result = try keyring.run(
            BuiltProducts.executable("TestPeer"),
            ["deliveries", scenario, "\(keyring.directory)/state"]
        )
        #expect(result.standardError == "")
        #expect(result.status == 0)
        return result.standardOutput.split(separator: "\n").map(String.init)
    }
}
