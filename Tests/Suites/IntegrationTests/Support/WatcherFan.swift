import Dispatch
import Foundation
import Synchronization
import TestSupport

/// Many `sharedauth watch` processes, and the users that each has printed.
final class WatcherFan: Sendable {
    private struct Line: Decodable {
        struct User: Decodable { let uid: String }
        let event: String
        let user: User?
    }

    private struct State {
        var rest: [Int: [UInt8]] = [:]
        /// The uids that each watcher printed, in order; nil for no user.
        var heard: [Int: [String?]] = [:]
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "watchers")
    // Set once by init, cancelled once by deinit.
    nonisolated(unsafe) private let sources: [any DispatchSourceRead]
    private let count: Int

    init(_ count: Int, in keyring: PrivateKeyring, arguments: [String]) throws {
        self.count = count
        let tool = try BuiltProducts.executable("sharedauth")
        var pipes: [Pipe] = []
        for _ in 0..<count {
            let pipe = Pipe()
            pipes.append(pipe)
            // The watchers leave the processors to the writer and the daemon, as idle desktop apps do.
            _ = try keyring.start(
                "nice",
                ["-n", "19", tool, "watch", "--json"] + arguments,
                output: pipe.fileHandleForWriting.fileDescriptor
            )
            try pipe.fileHandleForWriting.close()
        }
        let queue = queue
        unsafe sources = pipes.map {
            DispatchSource.makeReadSource(fileDescriptor: $0.fileHandleForReading.fileDescriptor, queue: queue)
        }
        for (number, source) in unsafe sources.enumerated() {
            let file = pipes[number].fileHandleForReading
            source.setEventHandler { [weak self] in self?.take(file.availableData, of: number) }
            source.resume()
        }
    }

    deinit { for source in unsafe sources { source.cancel() } }

    /// Waits until every watcher has printed this user last.
    ///
    /// - Returns: The number of watchers that agree, after at most `seconds`.
    func agreement(on uid: String?, within seconds: Int = 60) -> Int {
        let end = DispatchTime.now() + .seconds(seconds)
        while true {
            let agreeing = state.withLock { state in state.heard.values.count { $0.last == .some(uid) } }
            if agreeing == count || news.wait(timeout: end) == .timedOut { return agreeing }
        }
    }

    /// The uids that each watcher printed, in order.
    var histories: [[String?]] { state.withLock { Array($0.heard.values) } }

    private func take(_ data: Data, of number: Int) {
        state.withLock { state in
            state.rest[number, default: []] += data
            while let end = state.rest[number]?.firstIndex(of: UInt8(ascii: "\n")) {
                let line = state.rest[number]?[..<end] ?? []
                let parsed = try? JSONDecoder().decode(Line.self, from: Data(line))
                if let parsed, parsed.event == "auth-state" {
                    state.heard[number, default: []].append(parsed.user?.uid)
                }
                state.rest[number]?.removeFirst(end + 1)
            }
        }
        news.signal()
    }
}
