internal import TestSupport

extension Session {
    /// Performs random operations and says what it saw: `history PROCESS SEED COUNT GROUP…`.
    func makeHistory(_ words: [String]) async throws(PeerFailure) -> PeerLine {
        guard let process = Int(words[0]), let seed = UInt64(words[1]), let count = Int(words[2]) else {
            throw .command("history PROCESS SEED COUNT GROUP...")
        }
        let groups = Array(words.dropFirst(3))
        var random = SeededRandom(seed: seed)
        let recorder = Recorder(process: process, session: self)
        try await recorder.use(groups[0])
        for number in 1...count {
            let value = "\(process)-\(number)"
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await recorder.use(groups.randomElement(using: &random) ?? groups[0])
            case 1..<5: try await recorder.signIn("user\(Int.random(in: 0..<4, using: &random))", value)
            case 5..<7: try await recorder.signOut()
            case 7..<9: try await recorder.refresh()
            case 9..<14: try await recorder.swap("cas\(Int.random(in: 0..<2, using: &random))", value)
            default: try await recorder.read(groups.randomElement(using: &random) ?? groups[0])
            }
        }
        var line = PeerLine(answer: "history")
        line.operations = recorder.operations
        return line
    }
}
