import CGLibSecret

@testable import DesktopSupport
@testable import SecretService

/// Reads a message of a daemon as the response to requests of every type.
func fuzzBus(_ bytes: [UInt8]) {
    for answer in ["(aoao)", "(v)", "(oo)", "(a{o(oayays)})", "((oayays))", "(a{sv})", "(ua{sv})", "(s)"] {
        var error: UnsafeMutablePointer<GError>?
        var copy = bytes
        let message = g_dbus_message_new_from_blob(&copy, gsize(copy.count), G_DBUS_CAPABILITY_FLAGS_NONE, &error)
        let request = BusRequest(
            destination: "a.b",
            path: "/a",
            interface: "a.b",
            member: "C",
            answer: answer,
            subject: .service,
            property: answer == "(v)" ? "Locked" : nil
        )
        guard case .success(let read) = BusMessage.result(of: request, taking: message, error, in: nil) else {
            continue
        }
        walk(read.body)
    }
}

private func walk(_ value: Variant) {
    switch value.type.first {
    case "s", "o", "g": _ = value.string
    case "b": _ = value.bool
    case "u": _ = value.uint32
    case "t": _ = value.uint64
    case "a" where value.type == "ay": value.withUnsafeBytes { _ = $0.reduce(0 as UInt8, &+) }
    case "a" where value.type == "a{ss}": _ = value.stringDictionary
    case "a", "(", "{", "v": value.children.forEach(walk)
    default: break
    }
}
