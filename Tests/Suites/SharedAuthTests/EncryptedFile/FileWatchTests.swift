import Dispatch
import FoundationEssentials
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth

/// Events of a watch on a file store when something else changes the directory.
@Suite(.timeLimit(.minutes(5)))
struct FileWatchTests {
    let place: FilePlace
    let store: EncryptedFileRecordStore
    let events: AsyncStream<RecordEvent>
    let watch: any RecordWatch

    init() throws {
        place = try FilePlace()
        store = place.store()
        try store.put("x", .mail)
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        self.events = events
        watch = try store.watch(.mail, by: .patient) { continuation.yield($0) }
    }

    @Test("A watch on a new store makes a private directory and receives the first record")
    func first() async throws {
        let place = try FilePlace()
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        let listening = place.store()
        let watch = try listening.watch(.mail, by: .patient) { continuation.yield($0) }
        var status = stat()
        #expect(unsafe lstat(place.directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
        try place.store().put("x", .mail)
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .changed)
        #expect(try listening.text(.mail) == "x")
        watch.cancel()
    }

    @Test("A change of another record is not reported")
    func others() async throws {
        for _ in 1...5 { try place.store().put("y", .other) }
        // Each change of the watched record is reported. An earlier event would arrive first.
        try place.store().put("y", .mail)
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .changed)
        #expect(try store.text(.mail) == "y")
    }

    @Test("Damage in place, a changed mode and a removed file are reported", arguments: 0..<4)
    func inPlace(kind: Int) async throws {
        let path = try #require(try place.records().first { _ in true })
        switch kind {
        case 0: try place.put(Array("garbage".utf8), at: path)
        case 1: unsafe chmod(path, 0o644)
        case 2: unsafe unlink(path)
        default: unsafe chmod(place.directory, 0o755)
        }
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .changed)
    }

    @Test("A directory that is moved away vanishes, and appears when it is put back")
    func moved() async throws {
        var heard = events.makeAsyncIterator()
        unsafe rename(place.directory, place.directory + "-away")
        #expect(await heard.next() == .storeVanished)
        unsafe rename(place.directory + "-away", place.directory)
        #expect(await heard.next() == .storeAppeared)
        try place.store().put("y", .mail)
        #expect(await heard.next() == .changed)
        #expect(try store.text(.mail) == "y")
    }

    @Test("A deleted directory vanishes; a new store in its place is reported")
    func deleted() async throws {
        var heard = events.makeAsyncIterator()
        try FileManager.default.removeItem(atPath: place.directory)
        var event = await heard.next()
        // The files are removed first, one by one.
        while event == .changed { event = await heard.next() }
        #expect(event == .storeVanished)
        try place.store().put("new", .mail)
        event = await heard.next()
        while event == .changed { event = await heard.next() }
        #expect(event == .storeAppeared)
        #expect(try store.text(.mail) == "new")
    }

    @Test("A watch closes when the parent directory moves too; a new watch receives events")
    func closed() async throws {
        var heard = events.makeAsyncIterator()
        unsafe rename(place.root, place.root + "-away")
        #expect(await heard.next() == .storeVanished)
        #expect(await heard.next() == .closed)
        unsafe rename(place.root + "-away", place.root)
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        let watch = try store.watch(.mail, by: .patient) { continuation.yield($0) }
        try place.store().put("y", .mail)
        var again = events.makeAsyncIterator()
        #expect(await again.next() == .changed)
        watch.cancel()
    }

    @Test("When the kernel loses notifications, a watch requests another read")
    func overflow() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        // A handler that does not return lets the kernel's queue fill up.
        let watch = try store.watch(.mail, by: .patient) { _ in
            continuation.yield("changed")
            if isFirst.withLock({ first in
                defer { first = false }; return first
            }) {
                gate.wait()
            }
        }
        try place.store().put("y", .mail)
        var heard = events.makeAsyncIterator()
        _ = await heard.next()
        // The queue's limit is 16384 by default.
        let limit = try String(contentsOf: URL(filePath: "/proc/sys/fs/inotify/max_queued_events"), encoding: .utf8)
        let count = try #require(Int(limit.filter(\.isNumber)))
        let path = "\(place.directory)/noise"
        for _ in 0...count / 2 {
            unsafe mkdir(path, 0o700)
            unsafe rmdir(path)
        }
        try place.store().put("z", .mail)
        gate.signal()
        _ = await heard.next()
        #expect(try store.text(.mail) == "z")
        watch.cancel()
    }
}
