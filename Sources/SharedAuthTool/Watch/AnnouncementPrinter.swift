internal import ArgumentParser
internal import CommandLineSupport

/// Prints what is announced, one line each, at once.
struct AnnouncementPrinter: Sendable {
    let asJSON: Bool
    /// How lines name their slots; nil where there is only one.
    let columns: SlotColumns?

    func print(_ announcement: Announcement) {
        do {
            let line = asJSON ? try announcement.json.text : announcement.line(naming: columns)
            try StandardOutput.write(line: line)
        } catch let error as OutputError {
            ProcessEnd.now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
        } catch {
            StandardError.write(line: "An announcement cannot be printed: \(error)")
        }
    }
}
