internal import Dispatch
internal import EncryptedFiles
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth
internal import SharedAuthFleet
internal import SharedAuthRecords
internal import TestSupport

/// A process of a device that a test kills, stops, and reads from.
///
///     FleetPeer DIRECTORY write | turn | history PROCESS SEED COUNT | watch SECONDS
///
/// The device's local store is the file store in DIRECTORY, whose key is DIRECTORY/key.
@main
struct FleetPeer {
    private static let key = RecordKey(
        scope: .group("group.example.fleet"),
        project: "fleet",
        instance: "default",
        kind: "user"
    )

    private let store: FleetRecordStore

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        guard let directory = words.first, let command = words.dropFirst().first else { exit(64) }
        let local = EncryptedFileRecordStore(directory: "\(directory)/store", key: .keyFile("\(directory)/key"))
        let confirmation = command == "watch" ? words.dropFirst(2).first.flatMap { Int($0) } ?? 60 : 60
        let store = FleetRecordStore(local: local, turnLimit: .seconds(2), confirmation: .seconds(confirmation))
        let peer = FleetPeer(store: store)
        do {
            switch command {
            case "write": try peer.write()
            case "turn": try peer.takeTurn()
            case "watch": try peer.watch()
            case "history": try peer.makeHistory(words.dropFirst(2).compactMap { UInt64($0) })
            default: exit(64)
            }
        } catch {
            say("failed \(error)")
            exit(70)
        }
    }

    private static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// Writes a line as the payload, and says so.
    private func write() throws {
        let payload = Array((readLine() ?? "").utf8)
        try store.update(Self.key, by: .patient) { _ in .write(payload) }
        Self.say("written")
    }

    /// Waits for a line, takes the turn and reads the record, waits for another line, and then exchanges the tokens.
    private func takeTurn() throws {
        _ = readLine()
        let lock = try store.acquire("refresh", for: Self.key, by: .patient)
        _ = try store.read(Self.key, by: .patient)
        Self.say("turn")
        _ = readLine()
        let payload = Array((readLine() ?? "").utf8)
        try store.update(Self.key, by: .patient) { _ in .write(payload) }
        Self.say("written")
        lock.release()
        _ = readLine()
    }

    /// Prints the record, and each other one that it becomes, until the process is killed.
    private func watch() throws {
        let changes = DispatchSemaphore(value: 0)
        let watch = try store.watch(Self.key, by: .patient) { _ in changes.signal() }
        defer { watch.cancel() }
        var shown = ""
        while true {
            let text = Self.text(try store.read(Self.key, by: .patient)) ?? "none"
            if text != shown { Self.say(text) }
            shown = text
            changes.wait()
        }
    }

    /// Performs random operations, and prints their history.
    private func makeHistory(_ numbers: [UInt64]) throws {
        var random = SeededRandom(seed: numbers[1])
        var operations: [HistoryOperation] = []
        for number in 1...numbers[2] {
            let register = ["group.example.one", "group.example.two"][Int.random(in: 0...1, using: &random)]
            let key = RecordKey(scope: .group(register), project: "fleet", instance: "default", kind: "user")
            let value = "\(numbers[0])-\(number)"
            let began = Self.now()
            let action: HistoryOperation.Action
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                try store.update(key, by: .patient) { _ in .write(Array(value.utf8)) }
                action = .write(value)
            case 1:
                try store.update(key, by: .patient) { _ in .delete }
                action = .write(nil)
            case 2:
                var old: String?
                try store.update(key, by: .patient) { stored in
                    old = Self.text(stored)
                    return .write(Array(value.utf8))
                }
                action = .swap(old, value)
            default:
                action = .read(Self.text(try store.read(key, by: .patient)))
            }
            operations.append(
                HistoryOperation(
                    process: Int(numbers[0]),
                    register: register,
                    action: action,
                    began: began,
                    ended: Self.now()
                )
            )
        }
        Self.say(String(decoding: try JSONEncoder().encode(operations), as: UTF8.self))
    }

    private static func text(_ stored: StoredRecord) -> String? {
        if case .whole(let record) = stored { String(decoding: record.payload, as: UTF8.self) } else { nil }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
