/// A request to the listener, read as its bytes arrive.
///
/// Only the line of the request and `Host` are kept. All other header lines are skipped, of any number and size: a
/// browser sends the cookies of every program that it knows on this machine.
struct RedirectRequest: Sendable {
    /// The greatest size of the line of the request in bytes: a code and the state are far shorter.
    static let lineLimit = 32_768
    /// The greatest size of `Host` in bytes.
    private static let hostLimit = 1024

    /// The state of the reading.
    enum Progress: Sendable {
        /// The request is not complete yet.
        case open
        /// All lines have arrived.
        case complete
        /// The line of the request is too long.
        case tooLong
    }

    private(set) var progress = Progress.open
    /// The line of the request, as far as it has arrived.
    private(set) var line: [UInt8] = []
    /// The values of `Host`, one for each such line.
    private(set) var hosts: [[UInt8]] = []
    /// True once a byte has arrived.
    var hasBegun: Bool { !line.isEmpty || !isFirst }

    private var isFirst = true
    /// The beginning of the present header line.
    private var header: [UInt8] = []
    private var endsWithReturn = false

    /// Reads bytes, up to the end of the request.
    mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            guard progress == .open else { return }
            read(byte)
        }
    }

    private mutating func read(_ byte: UInt8) {
        let isEnd = endsWithReturn && byte == UInt8(ascii: "\n")
        endsWithReturn = byte == UInt8(ascii: "\r")
        if isFirst {
            guard !isEnd else {
                line.removeLast()
                isFirst = false
                return
            }
            line.append(byte)
            if line.count > Self.lineLimit { progress = .tooLong }
        } else if isEnd {
            header.removeLast()
            endHeader()
        } else {
            // The last byte is always kept: it may be the return before the end.
            if header.count > Self.hostLimit { header.removeLast() }
            header.append(byte)
        }
    }

    private mutating func endHeader() {
        if header.isEmpty { return progress = .complete }
        let parts = header.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        // A second one is kept, as a request with two is refused; more need no memory.
        if parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "host", hosts.count < 2 {
            hosts.append(Array(parts[1].drop { $0 == UInt8(ascii: " ") }))
        }
        header = []
    }
}
