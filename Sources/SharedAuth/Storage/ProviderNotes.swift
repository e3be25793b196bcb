internal import FoundationEssentials
internal import Synchronization

/// Which programs keep the user of which slot, as far as this app has seen: a small file beside the choice of group.
///
/// It tells a slot that its users have left from a slot that another provider of secrets never had. It holds names, no
/// secret. Losing it costs no more than that knowledge, so what goes wrong with it stops nothing.
final class ProviderNotes: Sendable {
    private struct Content: Codable {
        var version = 1
        /// Programs by the name of the group; the own slot has the empty name.
        var providers: [String: [String]] = [:]
    }

    let path: String
    /// What this process has noted and not cleared since, and need not write again.
    private let noted = Mutex<[Slot: Set<String>]>([:])

    /// The notes that belong to a choice of group.
    init(beside choiceFile: GroupChoiceFile) {
        path = choiceFile.path.dropLast(".json".count) + ".providers"
    }

    /// The programs that keep a user of a slot; none when its users signed out, or nobody knows.
    subscript(slot: Slot) -> [String] { read().providers[slot.groupName ?? ""] ?? [] }

    /// Whether this process has noted who keeps the present user of a slot.
    func hasNoted(_ slot: Slot) -> Bool { noted.withLock { $0[slot] != nil } }

    /// Notes one more program that keeps a user of a slot.
    func add(_ provider: String, for slot: Slot) {
        let isNew = noted.withLock { $0[slot, default: []].insert(provider).inserted }
        if isNew { change(slot) { $0.contains(provider) ? $0 : $0 + [provider] } }
    }

    /// Notes that the users of a slot are gone.
    func clear(_ slot: Slot) {
        noted.withLock { $0[slot] = nil }
        change(slot) { _ in [] }
    }

    private func change(_ slot: Slot, _ change: ([String]) -> [String]) {
        var content = read()
        let name = slot.groupName ?? ""
        let before = content.providers[name] ?? []
        let after = change(before)
        if after == before { return }
        content.providers[name] = after.isEmpty ? nil : after
        try? write(content)
    }

    private func read() -> Content {
        let file = try? SmallFile.read(path, path: path, atMost: 1 << 20, followingLinks: true, demandsPrivacy: false)
        guard case .bytes(let bytes) = file,
            let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)),
            content.version == 1
        else { return Content() }
        return content
    }

    private func write(_ content: Content) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try SmallFile.replace(path, with: Array(try encoder.encode(content)), durably: false)
    }
}
