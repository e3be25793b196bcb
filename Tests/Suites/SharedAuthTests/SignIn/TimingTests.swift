import DesktopSupport
import Dispatch
import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Work of an app on Dispatch's shared queues, and the work that must not wait behind it.
struct TimingTests {
    /// Occupies every thread of the shared queues until the returned semaphore is signalled.
    private func occupy() -> DispatchSemaphore {
        let (release, occupied) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<600 {
            DispatchQueue.global().async {
                occupied.signal()
                release.wait()
                release.signal()
            }
        }
        // The remaining blocks wait for a thread.
        occupied.wait()
        return release
    }

    @Test("A time limit fires in time although prompts may block all shared threads")
    func timers() async {
        let fired = DispatchSemaphore(value: 0)
        let release = occupy()
        defer { release.signal() }
        let timer = Timer(after: .milliseconds(10)) { fired.signal() }
        #expect(fired.wait(timeout: .now() + 20) == .success)
        timer.cancel()
    }

    @Test("Waiting for the user occupies no thread of the shared queues")
    func asking() async throws {
        let store = AskingStore()
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            store: .custom(store),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        try await auth.unlock()
        let thread = try #require(store.asker.first { _ in true })
        // The system keeps the last fifteen bytes of com.apple.root.default-qos.
        #expect(!thread.hasSuffix("default-qos"), "\(thread)")
    }
}

/// An in-memory store that records the name of the thread that prompts the user.
private final class AskingStore: ForwardingRecordStore {
    let base = InMemoryRecordStore()
    let asker = Recorder<String>()

    func unlock(by deadline: Deadline) throws(RecordStoreError) {
        let name = FileManager.default.contents(atPath: "/proc/thread-self/comm")
        asker.record(String(decoding: (name ?? Data()).prefix { $0 != 10 }, as: UTF8.self))
    }
}
