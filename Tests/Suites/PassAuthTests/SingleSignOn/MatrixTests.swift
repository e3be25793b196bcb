import Testing

extension OneAtATime {
    /// Real processes with the apps' IDs, on one keyring.
    struct MatrixTests {
        @Test(
            "The single sign-on matrix, row by row",
            arguments: MatrixRow.beforeTeams + MatrixRow.earlyTeams + MatrixRow.today
        )
        func row(_ row: MatrixRow) async throws {
            let project = try KeyringProject()
            var running: [String: PassPeerProcess] = [:]
            for (number, step) in row.steps.enumerated() {
                if step.command == "open" {
                    running[step.app] = nil
                    running[step.app] = try project.peer(try #require(row.apps[step.app]).started)
                }
                let answer = try await #require(running[step.app]).obey(step.command)
                #expect(answer == step.answer, "step \(number + 1): \(step.app) \(step.command)")
            }
            try project.sweep()
        }
    }
}

extension MatrixRow.App {
    fileprivate var started: PassPeerProcess.App {
        PassPeerProcess.App(
            appID: appID,
            group: team.map { "\($0).example.pass" },
            requestor: requestor,
            generation: generation,
            policy: policy,
            device: device
        )
    }
}
