/// One message of the D-Bus protocol in its wire form, little-endian:
/// https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-messages.
struct WireMessage {
    /// The number of bytes before the header fields, which determine the length of a message.
    static let prefix = 16

    let bytes: [UInt8]
    /// The message's serial number on the connection.
    let serial: UInt32
    /// The serial number of the call that this replies to, or nil if it is no reply.
    private(set) var answered: UInt32?
    private(set) var member: String?
    private(set) var destination: String?
    private(set) var sender: String?

    /// Whether it is a method call whose caller expects a reply.
    var wantsAnswer: Bool { bytes[1] == 1 && bytes[2] & 1 == 0 }

    /// Returns the number of bytes that follow the first sixteen.
    static func rest(after prefix: [UInt8]) -> Int {
        let fields = (Int(number(in: prefix, at: 12)) + 7) / 8 * 8
        return fields + Int(number(in: prefix, at: 4))
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        serial = Self.number(in: bytes, at: 8)
        var place = Self.prefix
        let end = place + Int(Self.number(in: bytes, at: 12))
        while place < end {
            let code = bytes[place]
            let type = bytes[place + 2]
            place += 4
            if type == UInt8(ascii: "u") {
                if code == 5 { answered = Self.number(in: bytes, at: place) }
                place += 4
            } else if type == UInt8(ascii: "g") {
                place += 2 + Int(bytes[place])
            } else {
                let length = Int(Self.number(in: bytes, at: place))
                let text = String(decoding: bytes[(place + 4)..<(place + 4 + length)], as: UTF8.self)
                switch code {
                case 3: member = text
                case 6: destination = text
                case 7: sender = text
                default: break
                }
                place += 5 + length
            }
            place = (place + 7) / 8 * 8
        }
    }

    /// Returns an error reply to the call with this serial number, with a text as its only argument.
    static func error(_ name: String, to serial: UInt32, from sender: String) -> WireMessage {
        var body: [UInt8] = []
        append("The test says so.", to: &body)
        var fields: [UInt8] = []
        func begin(_ code: UInt8, _ type: String) {
            while !fields.count.isMultiple(of: 8) { fields.append(0) }
            fields += [code, 1, UInt8(ascii: type.unicodeScalars.first ?? " "), 0]
        }
        begin(4, "s")
        append(name, to: &fields)
        begin(5, "u")
        fields += bytes(of: serial)
        begin(7, "s")
        append(sender, to: &fields)
        begin(8, "g")
        fields += [1, UInt8(ascii: "s"), 0]
        var message: [UInt8] = [UInt8(ascii: "l"), 3, 1, 1]
        // No receiver reads the serial number of a reply.
        message += bytes(of: UInt32(body.count)) + bytes(of: .max) + bytes(of: UInt32(fields.count)) + fields
        while !message.count.isMultiple(of: 8) { message.append(0) }
        return WireMessage(message + body)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes += self.bytes(of: UInt32(text.utf8.count)) + Array(text.utf8) + [0]
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(in bytes: [UInt8], at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * $1) }
    }
}
