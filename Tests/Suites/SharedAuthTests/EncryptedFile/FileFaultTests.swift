import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth

/// Disks that fail at any step of a change.
struct FileFaultTests {
    let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    /// A change of the text "x", and the text after it succeeds.
    enum Change: CaseIterable {
        case first, write, replace, delete, remove

        var expected: String? {
            switch self {
            case .first, .write, .replace: "y"
            case .delete, .remove: nil
            }
        }

        func carryOut(on store: EncryptedFileRecordStore) throws(RecordStoreError) {
            try store.update(.mail, by: .patient) { _ in
                switch self {
                case .first, .write: .write(Array("y".utf8))
                case .replace: .replaceDamaged(Array("y".utf8))
                case .delete: .delete
                case .remove: .removeDamaged
                }
            }
        }
    }

    @Test(
        "If any step fails, the record is unchanged, or new with an unknown outcome",
        arguments: Change.allCases
    )
    func steps(change: Change) throws {
        var points = 0
        for (number, code) in [
            (ENOSPC, RecordStoreError.Code.full), (EDQUOT, .full), (EROFS, .denied), (EIO, .failed),
        ] {
            for isAfter in [false, true] {
                var point = 1
                while try fails(change, at: point, isAfter, number, code) { point += 1 }
                points += point - 1
            }
        }
        #expect(points >= 16)
    }

    @Test("Asking whether a record can be written leaves nothing")
    func probe() throws {
        let store = place.store()
        try store.put("x", .mail)
        let before = try place.names()
        try store.checkWritable(.mail, by: .patient)
        #expect(try place.names() == before)
    }

    @Test("A file system that refuses to sync a directory fails no change", arguments: Change.allCases)
    func refusedDirectorySync(change: Change) throws {
        if change != .first { try place.store().put("x", .mail) }
        let refusals = Atomic(0)
        let store = place.store(
            steps: FileStepInterceptor { step, proceed in
                guard step == .syncDirectory else { return proceed() }
                refusals.add(1, ordering: .relaxed)
                return EINVAL
            }
        )
        try change.carryOut(on: store)
        #expect(try place.store().text(.mail) == change.expected)
        #expect(refusals.load(ordering: .relaxed) > 0)
    }

    /// Makes a change with a fault at `point`, checks the record, and returns whether there was such a step.
    private func fails(
        _ change: Change,
        at point: Int,
        _ isAfter: Bool,
        _ number: Int32,
        _ code: RecordStoreError.Code
    ) throws -> Bool {
        let place = try FilePlace()
        if change != .first { try place.store().put("x", .mail) }
        let before = change == .first ? nil : "x"
        let fault = StepFault(at: point, isAfter: isAfter, number: number)
        let store = place.store(steps: fault.interceptor)
        let comment: Comment = "\(change), step \(point) \(isAfter ? "after" : "before"), \(number)"
        if let error = failure({ try change.carryOut(on: store) }) {
            let text = try place.store().text(.mail)
            if error.outcomeIsUnknown {
                #expect(text == before || text == change.expected, comment)
            } else {
                #expect(error.code == code, comment)
                // A step that is reported as failed but is done does not count as undone.
                if !isAfter { #expect(text == before, comment) }
            }
            #expect(error.remedy != nil, comment)
        } else {
            guard fault.hasStruck else { return false }
            #expect(try place.store().text(.mail) == change.expected, comment)
        }
        // The same store and another one continue from there.
        try store.put("z", .mail)
        #expect(try place.store().text(.mail) == "z", comment)
        #expect(try place.names().allSatisfy { !$0.hasSuffix(".new") }, comment)
        return true
    }

    @Test("A killed process's partial file is never read, and the next change removes it")
    func leftover() throws {
        try place.store().put("x", .mail)
        let record = try #require(try place.records().first)
        try place.put(Array("half a record".utf8), at: record + ".new")
        #expect(try place.store().text(.mail) == "x")
        try place.store().put("y", .mail)
        #expect(try place.names().allSatisfy { !$0.hasSuffix(".new") })
        #expect(try place.store().text(.mail) == "y")
    }

    @Test("No store file is ever open to others, holds a plain secret or keeps its nonce")
    func files() throws {
        let modes = Mutex<Set<mode_t>>([])
        let directory = place.directory
        let store = place.store(
            steps: FileStepInterceptor { step, proceed in
                let result = proceed()
                for name in (try? FilePlace.names(in: directory)) ?? [] {
                    var status = stat()
                    if unsafe lstat("\(directory)/\(name)", &status) == 0 {
                        modes.withLock { _ = $0.insert(status.st_mode & 0o777) }
                    }
                }
                return result
            }
        )
        var seen: Set<[UInt8]> = []
        for _ in 1...5 {
            try store.put("a secret that is long enough to be found", .mail)
            let bytes = try place.bytes(try #require(try place.records().first))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
            seen.insert(Array(bytes[32..<44]))
        }
        #expect(seen.count == 5)
        #expect(modes.withLock { $0 } == [0o600, 0o700])
    }

    @Test("A change that waits for a lock ends at its deadline and changes nothing")
    func deadline() throws {
        let (one, two) = (place.store(), place.store())
        try one.put("x", .mail)
        let lock = try one.acquire("lock", for: .mail, by: .patient)
        let began = ContinuousClock.now
        let error = try #require(
            failure {
                try two.update(.mail, by: .after(.milliseconds(50))) { _ in .delete }
            }
        )
        #expect(error.code == .timedOut)
        #expect(!error.outcomeIsUnknown)
        #expect(began.duration(to: .now) < .hang)
        lock.release()
        #expect(try two.text(.mail) == "x")
    }
}

/// Fails one step of a store, either in place of the step or after it.
private final class StepFault: Sendable {
    private let count = Mutex(0)
    private let point: Int
    private let isAfter: Bool
    private let number: Int32

    init(at point: Int, isAfter: Bool, number: Int32) {
        (self.point, self.isAfter, self.number) = (point, isAfter, number)
    }

    var hasStruck: Bool { count.withLock { $0 >= point } }

    var interceptor: FileStepInterceptor {
        FileStepInterceptor { [self] _, proceed in
            let isMeant = count.withLock { count in
                count += 1
                return count == point
            }
            guard isMeant else { return proceed() }
            if isAfter { _ = proceed() }
            return number
        }
    }
}
