internal import FoundationEssentials

/// Steps that were begun or have ended since the choice of group was stored, kept in a file next to it.
///
/// The file is written without waiting for the disk: it survives the death of the process, and not that of the machine. Then a
/// migration that was begun has to be begun again, and a deletion that has ended finds nothing to delete. The choice itself is
/// never written so: a file system may leave an empty file of it.
struct StepNotes: Codable {
    private var version = 1
    private var begun: [GroupChoice.Pending] = []
    private var ended: [GroupChoice.Pending] = []

    init() {}

    /// Reads notes; those that are damaged or newer count as none.
    init(decoding bytes: [UInt8]) {
        let notes = try? JSONDecoder().decode(StepNotes.self, from: Data(bytes))
        self = notes.flatMap { $0.version == 1 ? $0 : nil } ?? StepNotes()
    }

    mutating func begin(_ step: GroupChoice.Pending) {
        ended.removeAll { $0 == step }
        if !begun.contains(step) { begun.append(step) }
    }

    mutating func end(_ step: GroupChoice.Pending) {
        begun.removeAll { $0 == step }
        if !ended.contains(step) { ended.append(step) }
    }

    /// The choice as it is with these steps.
    func applied(to choice: GroupChoice) -> GroupChoice {
        var choice = choice
        for step in begun { choice.begin(step) }
        for step in ended { choice.end(step) }
        return choice
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(self))
    }
}
