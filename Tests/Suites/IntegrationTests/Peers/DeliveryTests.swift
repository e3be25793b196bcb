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

/// Real programs that run both of the loops that call listeners, one, or none.
struct LoopTests {
    @Test(
        "Listeners and completions come in order on whichever loop runs, and on an executor that runs inline",
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

    @Test("With both loops running, each call is made once, in order and alone, by whichever loop is free")
    func both() throws {
        #expect(try run("both") == ["in order true", "overlaps 0", "first by main-queue second by main-context"])
    }

    @Test("Announcements that no loop delivers grow nothing, and the last one is never lost")
    func neither() throws {
        let lines = try run("neither")
        let growth = try #require(lines.first?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) })
        #expect(growth < 4096, "\(lines)")
        #expect(lines.dropFirst() == ["called 100 last y"])
    }

    @Test(
        "A listener of the main actor is called there, in order, whatever the executor and the loops",
        arguments: ["view-model-main-context", "view-model-dispatch-queue", "view-model-both"]
    )
    func viewModel(scenario: String) throws {
        let uids = try #require(try run(scenario).first).split(separator: " ")
        // Whether the first sign-in comes before the first load's answer, nobody says.
        #expect(uids.drop { $0 == "nil" } == (0..<10).map { "\($0)" }[...])
    }

    @Test("A sequence can be followed on an executor that runs its jobs at once, with calls of the Auth")
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
