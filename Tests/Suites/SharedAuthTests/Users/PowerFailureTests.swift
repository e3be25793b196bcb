import Foundation
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Power failures at every step of a move or a switch: before and after each call of the store, and before each system
/// call on the stored choice.
///
/// The store keeps what it has acknowledged. Of the stored choice, the disk keeps what was synced, and any part of the
/// rest.
struct PowerFailureTests {
    /// A change of slot by an app whose user is `x`.
    enum Change: CaseIterable, CustomTestStringConvertible {
        case move, moveBack, moveOn, moveTakenBack, moveNamed, moveByTool, join, joinTakenBack, leave

        var testDescription: String { "\(self)" }

        fileprivate var source: Slot {
            switch self {
            case .move, .moveTakenBack, .moveNamed, .moveByTool, .join, .joinTakenBack: .own
            case .moveBack, .moveOn, .leave: .shared
            }
        }
    }

    @Test("After a power failure in a change of slot, a start leaves no user in two slots", arguments: Change.allCases)
    func noUserInTwoSlots(change: Change) throws {
        var (moment, disks) = (1, 0)
        while let (app, kept) = try failure(in: change, at: moment) {
            for files in kept {
                let next = try restored(app, files)
                let auth = try next.start(adjust(for: change, next))
                let (user, slot) = (auth.currentUser?.uid, auth.userAccessGroup.map(Slot.group) ?? .own)
                auth.waitUntilIdle()
                let place = "\(change), moment \(moment), \(files.mapValues { String(decoding: $0, as: UTF8.self) })"
                let holders = try holders(in: next)
                #expect(holders.count <= 1, "\(holders): \(place)")
                // Only a switch by hand leaves the user behind.
                let isLeft = [.join, .joinTakenBack].contains(change) && slot == .shared
                let isKept = change == .leave && slot == .own
                #expect(holders == (isLeft ? [] : isKept ? [.shared] : [slot]), "\(place)")
                #expect(user == (isLeft || isKept ? nil : "x"), "\(place)")
                if user != nil {
                    try auth.signOut()
                    #expect(try self.holders(in: next).isEmpty, "after the sign-out: \(place)")
                }
                disks += 1
            }
            moment += 1
        }
        print("power failures: \(change): \(disks) disks at \(moment - 1) moments")
        #expect(disks > 5)
    }

    @Test("If the disk lost the note of a migration, the user would be in two slots")
    func lostNote() throws {
        var (moment, states) = (1, 0)
        while let (app, kept) = try failure(in: .move, at: moment) {
            for files in kept {
                let next = try restored(app, files.filter { !$0.key.hasSuffix(".steps") })
                try next.start().waitUntilIdle()
                if try holders(in: next).count > 1 { states += 1 }
            }
            moment += 1
        }
        #expect(states > 0)
    }

    private func adjust(
        for change: Change,
        _ app: MemoryApp<InMemoryRecordStore>
    ) -> (inout AuthApp.Options) -> Void {
        { options in
            guard change == .moveNamed else { return }
            options.accessGroup = app.group
            options.ownUserPolicy = .migrate
        }
    }

    private func holders(in app: MemoryApp<InMemoryRecordStore>) throws -> [Slot] {
        try [Slot.own, .shared, .elsewhere].filter { try app.users(in: $0).contains("x") }
    }

    /// Makes a change, and cuts the power at a moment of it.
    ///
    /// - Returns: the app and the files that its disk may have kept; nil if the change ended before the moment.
    private func failure(
        in change: Change,
        at moment: Int
    ) throws -> (MemoryApp<InMemoryRecordStore>, [[String: [UInt8]]])? {
        let app = MemoryApp()
        try app.put("x", in: change.source)
        if change.source != .own { try app.choose(change.source) }
        let disk = Disk(in: "\(app.directory)/\(app.id)/p")
        try make(change, app, disk) { disk.cutPower(at: moment, of: app.store) }
        app.store.mend()
        return disk.kept.map { (app, $0) }
    }

    /// Makes a change; its errors are ignored. Calls `begin` before the change.
    private func make(
        _ change: Change,
        _ app: MemoryApp<InMemoryRecordStore>,
        _ disk: Disk,
        _ begin: () -> Void
    ) throws {
        if change == .moveByTool {
            let directories = StateDirectories(
                own: app.directory,
                home: "/nonexistent",
                given: [],
                fileSteps: disk.interceptor
            )
            let migration = try UserMigration(
                from: nil,
                to: app.group,
                project: "p",
                store: .custom(app.store),
                stateDirectories: directories
            )
            begin()
            for step in (try? migration.plan(for: .named([app.id]))) ?? [] { _ = migration.perform(step) }
            return
        }
        let adjust = adjust(for: change, app)
        // An app that names its group changes its slot when it starts.
        if change == .moveNamed { begin() }
        let auth = try app.start { options in
            options.fileSteps = disk.interceptor
            adjust(&options)
        }
        _ = auth.currentUser
        if change != .moveNamed {
            #expect(auth.currentUser?.uid == "x")
            if [.moveTakenBack, .joinTakenBack].contains(change) { app.store.fail(.deletion, of: .own, times: 1) }
            begin()
        }
        switch change {
        case .move, .moveTakenBack: try? auth.migrateCurrentUser(toAccessGroup: app.group)
        case .moveBack: try? auth.migrateCurrentUser(toAccessGroup: nil)
        case .moveOn: try? auth.migrateCurrentUser(toAccessGroup: app.otherGroup)
        case .join, .joinTakenBack: try? auth.useUserAccessGroup(app.group)
        case .leave: try? auth.useUserAccessGroup(nil)
        case .moveNamed, .moveByTool: break
        }
        auth.waitUntilIdle()
    }

    /// Returns the app after the power has returned.
    private func restored(
        _ app: MemoryApp<InMemoryRecordStore>,
        _ files: [String: [UInt8]]
    ) throws -> MemoryApp<InMemoryRecordStore> {
        let store = InMemoryRecordStore()
        for key in [RecordKey.own, .shared, .elsewhere] {
            store.put(try app.store.base.read(key, by: .patient), under: key)
        }
        let next = MemoryApp(on: FaultInjectingStore(store))
        let directory = "\(next.directory)/\(next.id)/p"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)")) }
        return next
    }
}

/// The files of a stored choice on a disk whose power fails.
private final class Disk: Sendable {
    private struct State {
        /// The files as they are after a power failure, if nothing else reaches the disk.
        var synced: [String: [UInt8]]
        /// The files that may be empty after a power failure, because only their names were synced.
        var unsynced: Set<String> = []
        var isWriteSynced = false
        var failsAt: Int?
        var count = 0
        var kept: [[String: [UInt8]]]?
    }

    private let directory: String
    private let state: Mutex<State>

    init(in directory: String) {
        self.directory = directory
        state = Mutex(State(synced: Self.files(in: directory)))
    }

    /// The possible contents of the disk, if the power has failed.
    var kept: [[String: [UInt8]]]? { state.withLock(\.kept) }

    /// Cuts the power at a moment, counted from 1: from then on nothing works.
    func cutPower<Base>(at moment: Int, of store: FaultInjectingStore<Base>) {
        state.withLock { $0.failsAt = moment }
        for call in [StoreCall.read, .update, .write] {
            store.intercept(call) { [self] _ throws(RecordStoreError) in try passOrThrow() }
        }
        store.intercept(.update, isAfter: true) { [self] _ throws(RecordStoreError) in try passOrThrow() }
    }

    var interceptor: FileStepInterceptor {
        FileStepInterceptor { [self] step, proceed in
            guard pass() else { return EIO }
            let before = Self.files(in: directory)
            let number = proceed()
            let after = Self.files(in: directory)
            state.withLock { state in
                switch step {
                case .create: state.isWriteSynced = false
                case .sync: state.isWriteSynced = true
                case .rename:
                    for name in after.keys where after[name] != before[name] {
                        if state.isWriteSynced { state.unsynced.remove(name) } else { state.unsynced.insert(name) }
                    }
                case .syncDirectory: state.synced = after
                case .write, .link, .unlink: break
                }
            }
            return number
        }
    }

    private func passOrThrow() throws(RecordStoreError) {
        if !pass() { throw RecordStoreError(.unavailable, "The test has cut the power.") }
    }

    /// Returns whether there is power.
    private func pass() -> Bool {
        state.withLock { state in
            guard let moment = state.failsAt else { return true }
            state.count += 1
            if state.count == moment { state.kept = Self.possible(state, Self.files(in: directory)) }
            return state.count < moment
        }
    }

    private static func possible(_ state: State, _ present: [String: [UInt8]]) -> [[String: [UInt8]]] {
        var possible: [[String: [UInt8]]] = [[:]]
        for name in Set(present.keys).union(state.synced.keys) {
            var contents: Set<[UInt8]?> = [state.synced[name], present[name]]
            if state.unsynced.contains(name) { contents.insert([]) }
            possible = possible.flatMap { files in
                contents.map { bytes in
                    var files = files
                    files[name] = bytes
                    return files
                }
            }
        }
        return possible
    }

    /// Returns the files, without locks and without those that are still being written.
    private static func files(in directory: String) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for suffix in ["json", "steps", "providers"] {
            let name = "default.\(suffix)"
            files[name] = (try? Data(contentsOf: URL(filePath: "\(directory)/\(name)"))).map(Array.init)
        }
        return files
    }
}
