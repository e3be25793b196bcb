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
}
