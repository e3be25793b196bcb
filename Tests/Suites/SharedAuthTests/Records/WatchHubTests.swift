import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// The sources of the watches' events, and the effect of their end.
struct WatchHubTests {
    private final class Source: Sendable {}
    private struct Failed: Error {}

    @Test("One source serves all watches until it ends; the next watch begins another one")
    func begins() throws {
        let hub = WatchHub<Source>()
        let first = hub.watch(.mail, { _ in }) { _ in Source() }
        #expect(first.begun != nil)
        #expect(hub.watch(.other, { _ in }) { _ in Source() }.begun == nil)
        hub.end(try #require(first.begun))
        #expect(hub.watch(.other, { _ in }) { _ in Source() }.begun != nil)
    }

    @Test("A source that could not begin is begun by the next watch")
    func fails() {
        let hub = WatchHub<Source>()
        #expect(throws: Failed.self) {
            _ = try hub.watch(.mail, { _ in }) { _ throws(Failed) in throw Failed() }
        }
        #expect(hub.watch(.mail, { _ in }) { _ in Source() }.begun != nil)
    }

    @Test("A source that ends while it begins is not kept, because it would report nothing")
    func endsAtOnce() {
        let hub = WatchHub<Source>()
        let first = hub.watch(.mail, { _ in }) { number in
            hub.end(number)
            return Source()
        }
        #expect(first.begun == nil)
        #expect(hub.watch(.mail, { _ in }) { _ in Source() }.begun != nil)
    }

    @Test("One of two sources begun at the same time is kept, even when the other ends")
    func twoAtOnce() {
        let hub = WatchHub<Source>()
        let inner = Mutex<UInt64?>(nil)
        let outer = hub.watch(.mail, { _ in }) { number in
            inner.withLock { $0 = hub.watch(.other, { _ in }) { _ in Source() }.begun }
            defer { hub.end(number) }
            return Source()
        }
        #expect(outer.begun == nil && inner.withLock { $0 } != nil)
        #expect(hub.watch(.mail, { _ in }) { _ in Source() }.begun == nil)
    }

    @Test(
        "Exhausted inotify is an error that says what to raise; the next watch begins",
        arguments: [
            (ENOSPC, "max_user_watches"), (EMFILE, "max_user_instances"),
        ]
    )
    func exhausted(number: Int32, limit: String) async throws {
        let place = try FilePlace()
        let isExhausted = Mutex(true)
        let (queue, watches) = (InotifyCalls.live.makeQueue, InotifyCalls.live.addWatch)
        @Sendable func unlessExhausted(_ expected: Int32, _ call: () -> Int32) -> Int32 {
            guard number == expected, isExhausted.withLock({ $0 }) else { return call() }
            errno = number
            return -1
        }
        let store = EncryptedFileRecordStore(
            directory: place.directory,
            key: .keyFile(place.keyFile),
            notifications: InotifyCalls(
                makeQueue: { unlessExhausted(EMFILE) { queue() } },
                addWatch: { file, path, mask in unlessExhausted(ENOSPC) { watches(file, path, mask) } }
            )
        )
        let error = try #require(
            failure { _ = try store.watch(.mail, by: .patient) { _ in } }
        )
        #expect(error.message.contains("watch") && error.remedy?.contains(limit) == true, "\(error)")
        #expect(error.code == .failed)
        isExhausted.withLock { $0 = false }
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        let watch = try store.watch(.mail, by: .patient) { continuation.yield($0) }
        try place.store().put("x", .mail)
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .changed)
        watch.cancel()
    }

    @Test("If the parent directory goes, all watches close; a new one works once it is back")
    func parentDeleted() async throws {
        let place = try FilePlace()
        let store = place.store()
        try store.put("x", .mail)
        let streams = (0..<2).map { _ in AsyncStream<RecordEvent>.makeStream() }
        let watches = try zip([RecordKey.mail, .other], streams).map { key, stream in
            try store.watch(key, by: .patient) { stream.continuation.yield($0) }
        }
        let aside = place.root + "-away"
        unsafe mkdir(aside, 0o700)
        unsafe rename(place.directory, aside + "/store")
        unsafe rename(place.keyFile, aside + "/key")
        unsafe rmdir(place.root)
        for stream in streams {
            var heard = stream.stream.makeAsyncIterator()
            while let event = await heard.next(), event != .closed {}
        }
        #expect(failure { _ = try store.watch(.mail, by: .patient) { _ in } } != nil)
        unsafe rename(aside, place.root)
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        let watch = try store.watch(.mail, by: .patient) { continuation.yield($0) }
        try place.store().put("y", .mail)
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .changed)
        withExtendedLifetime(watches) { watch.cancel() }
    }
}
