import Dispatch

extension TestApp {
    /// Waits until `condition` holds of everything announced since the last look, and takes it.
    ///
    /// - Returns: what was announced, complete or not, after ten seconds at most.
    func heard(until condition: ([Announcement]) -> Bool) -> [Announcement] {
        let end = DispatchTime.now() + 10
        while !condition(peek()) {
            if news.wait(timeout: end) == .timedOut { break }
        }
        return announcements()
    }

    /// Waits for as many announcements as are expected, and takes them.
    func heard(_ count: Int) -> [Announcement] {
        heard { $0.count >= count }
    }

    /// Lets nothing be delivered until `body` ends, as where an app keeps its main loop busy.
    func whileBusy(_ body: () async throws -> Void) async rethrows {
        queue.suspend()
        // However it ends: libdispatch traps where a suspended queue is released.
        defer { queue.resume() }
        try await body()
    }
}
