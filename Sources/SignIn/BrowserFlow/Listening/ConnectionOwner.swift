internal import DesktopSupport
internal import Glibc

/// The user of this machine who opened a connection to the listener, according to the kernel.
enum ConnectionOwner: Sendable, Hashable {
    /// The user's ID in the listener's user namespace.
    case user(uid_t)
    /// The other end is closed or not on this machine, so the kernel knows no owner.
    case gone
    /// The kernel cannot be queried, neither by netlink nor through `/proc/net`.
    case unknown

    /// The two ends of a connection; addresses and ports are in network byte order.
    struct Ends: Sendable, Hashable {
        let listener: Place
        let browser: Place

        struct Place: Sendable, Hashable {
            /// The address in words: one of IPv4, or four of IPv6.
            let words: [in_addr_t]
            let port: in_port_t

            init(words: [in_addr_t], port: in_port_t) { (self.words, self.port) = (words, port) }
            init(address: in_addr_t, port: in_port_t) { self.init(words: [address], port: port) }
        }

        var isOfVersionSix: Bool { listener.words.count > 1 }
    }

    /// Finds the owner of the browser's end.
    static func find(of ends: Ends) -> ConnectionOwner {
        // A kernel without socket diagnosis returns the same error as one that does not know the socket.
        if let owner = ConnectionDiagnosis.owner(of: ends), owner != .gone { return owner }
        return ConnectionTable.owner(of: ends)
    }

    /// Returns the owner of a socket. A socket that its process has closed has no inode, and the kernel then reports
    /// root.
    static func ofSocket(uid: uid_t, inode: UInt32) -> ConnectionOwner { inode == 0 ? .gone : .user(uid) }

    /// Returns whether an answer on this connection is trusted: it is from this user, from root, or from a user that
    /// this process cannot tell from them, or the kernel cannot be queried.
    ///
    /// In a user namespace, all users without an ID have the overflow ID. The person is among them only if this process
    /// has an ID of a container; outside, that ID is the user `nobody`'s. Neither other users nor `nobody` are trusted.
    func isTrusted(
        own: uid_t = geteuid(),
        overflow: @autoclosure () -> uid_t? = UserNamespace.personWithoutID
    ) -> Bool {
        switch self {
        case .user(let uid): uid == own || uid == 0 || uid == overflow()
        case .gone: false
        case .unknown: true
        }
    }
}

/// The user namespace of this process.
enum UserNamespace {
    /// The ID of all users without one in this namespace if the person at the desktop may be one of them; nil if the
    /// person has an ID here.
    static var personWithoutID: uid_t? {
        personWithoutID(
            own: geteuid(),
            map: beginning(ofFile: "/proc/self/uid_map"),
            overflow: beginning(ofFile: "/proc/sys/kernel/overflowuid")
        )
    }

    /// - Parameters:
    ///   - own: the user of this process.
    ///   - map: the lines of `uid_map`: the first ID inside, the first ID outside, and their number.
    ///   - overflow: the ID of users without one.
    static func personWithoutID(own: uid_t, map: String?, overflow: String?) -> uid_t? {
        let ranges = (map ?? "").split(separator: "\n").compactMap { line -> [UInt64]? in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 ? numbers : nil
        }
        // All IDs are mapped except the last, which means no ID.
        if ranges.map({ $0[2] }).reduce(0, +) >= UInt64(uid_t.max) { return nil }
        let isPerson = ranges.contains { range in
            let (inside, outside, count) = (range[0], range[1], range[2])
            guard inside <= own, UInt64(own) - inside < count else { return false }
            // A program may map its own user alone, as sandboxes do. Containers get a range of IDs, which are nobody's.
            return count == 1 || inside == outside
        }
        return isPerson ? nil : overflow.flatMap { uid_t($0.prefix { $0.isNumber }) } ?? 65534
    }
}

/// Queries the kernel about one socket: https://man7.org/linux/man-pages/man7/sock_diag.7.html
private enum ConnectionDiagnosis {
    /// Returns the owner, `gone` if the kernel does not know the socket, or nil if it cannot be queried.
    static func owner(of ends: ConnectionOwner.Ends) -> ConnectionOwner? {
        let kernel = socket(AF_NETLINK, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 4)
        guard kernel >= 0 else { return nil }
        defer { close(kernel) }
        let request = request(ends)
        guard unsafe send(kernel, request, request.count, 0) == request.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 512)
        // The kernel has replied by the time `send` returns.
        let count = unsafe recv(kernel, &answer, answer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : owner(in: Array(answer.prefix(count)))
    }

    private static let byFamily: UInt16 = 20

    /// Encodes `inet_diag_req_v2`: the browser's end is the source, the listener's the destination.
    private static func request(_ ends: ConnectionOwner.Ends) -> [UInt8] {
        let allStates: UInt32 = 0xffff_ffff
        let family = UInt8(ends.isOfVersionSix ? AF_INET6 : AF_INET)
        var body: [UInt8] = [family, UInt8(IPPROTO_TCP), 0, 0] + bytes(allStates)
        body += bytes(ends.browser.port) + bytes(ends.listener.port)
        for place in [ends.browser, ends.listener] {
            let address = place.words.flatMap(bytes)
            body += address + [UInt8](repeating: 0, count: 16 - address.count)
        }
        let anyInterface: UInt32 = 0
        body += bytes(anyInterface) + [UInt8](repeating: 0xff, count: 8)
        let (isRequest, sequence, sender): (UInt16, UInt32, UInt32) = (1, 1, 0)
        let header = bytes(UInt32(16 + body.count)) + bytes(byFamily) + bytes(isRequest) + bytes(sequence)
        return header + bytes(sender) + body
    }

    /// Decodes `inet_diag_msg`.
    private static func owner(in answer: [UInt8]) -> ConnectionOwner? {
        guard answer.count >= 20 else { return nil }
        guard bytes(byFamily).elementsEqual(answer[4..<6]) else {
            return Int32(bitPattern: word(at: 16, in: answer)) == -ENOENT ? .gone : nil
        }
        guard answer.count >= 88 else { return nil }
        return .ofSocket(uid: word(at: 80, in: answer), inode: word(at: 84, in: answer))
    }

    private static func word(at offset: Int, in bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// Returns the bytes of a number in memory order.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }
}

/// The list of all sockets in `/proc/net`, for kernels that cannot be queried for one socket.
enum ConnectionTable {
    /// Returns the owner; `gone` if the connection is not in the list, `unknown` if the list cannot be read.
    static func owner(of ends: ConnectionOwner.Ends) -> ConnectionOwner {
        // A program may use an IPv6 socket to connect to an IPv4 address.
        let mapped = [0, 0, UInt32(0xffff).bigEndian].map { padded($0, to: 8) }.joined()
        let tables =
            ends.isOfVersionSix
            ? [("/proc/net/tcp6", "")] : [("/proc/net/tcp", ""), ("/proc/net/tcp6", mapped)]
        var isReadable = false
        for (file, prefix) in tables {
            guard let text = contents(of: file) else { continue }
            isReadable = true
            let wanted = [ends.browser, ends.listener].map { prefix + hexadecimal($0) }
            if let owner = ConnectionOwner.inTable(text, between: wanted) { return owner }
        }
        return isReadable ? .gone : .unknown
    }

    /// Formats each word of the address as a number in host byte order, and the port as a number.
    private static func hexadecimal(_ place: ConnectionOwner.Ends.Place) -> String {
        place.words.map { padded($0, to: 8) }.joined() + ":" + padded(UInt32(UInt16(bigEndian: place.port)), to: 4)
    }

    private static func padded(_ number: UInt32, to width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: width - digits.count) + digits
    }

    private static func contents(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }
}

extension ConnectionOwner {
    /// Finds the owner of a connection in a table of `/proc/net`; nil if it is not there. `places` has the owner's end
    /// first.
    static func inTable(_ table: String, between places: [String]) -> ConnectionOwner? {
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ", maxSplits: 10)
            guard words.count > 9, words[1] == places[0], words[2] == places[1],
                let uid = uid_t(words[7]), let inode = UInt32(words[9].prefix { $0 != " " })
            else { continue }
            return .ofSocket(uid: uid, inode: inode)
        }
        return nil
    }
}
