import TestSupport

/// A fault on the wire that affects one call of an operation.
struct WireFault: Sendable, CustomStringConvertible {
    let description: String
    /// True if the call was carried out although its reply is an error.
    var lies = false
    /// True if the error says that the object does not exist. A deletion treats that as success.
    var saysGone = false
    /// True if the daemon dies and returns locked.
    var kills = false
    let harm: @Sendable (PrivateKeyring) -> BusProxy.Harm

    private static let noReply = BusProxy.Harm.Outcome.error("org.freedesktop.DBus.Error.NoReply", isOfBus: true)

    /// The daemon dies: before it is called, while it processes the call, or after it has carried out the call.
    static let deaths: [WireFault] = [
        death("dead before the call", isAfter: false, .passed),
        death("dies at the call", isAfter: false, noReply),
        death("dies after the deed", isAfter: true, noReply),
    ]

    /// The app's connection is cut.
    static let cuts: [WireFault] = [
        WireFault(description: "cut before the call") { _ in BusProxy.Harm(isAfter: false, .cut) },
        WireFault(description: "cut after the deed") { _ in BusProxy.Harm(isAfter: true, .cut) },
    ]

    /// The reply is an error, for a call that was refused or for one that was carried out.
    static let errors: [WireFault] = [
        ("org.freedesktop.DBus.Error.NoReply", true),
        ("org.freedesktop.DBus.Error.UnknownMethod", false),
        ("org.freedesktop.DBus.Error.Failed", false),
        ("org.freedesktop.Secret.Error.IsLocked", false),
        ("org.freedesktop.DBus.Error.AccessDenied", true),
        ("org.freedesktop.Secret.Error.NoSuchObject", false),
        ("org.freedesktop.DBus.Error.LimitsExceeded", true),
    ].flatMap { name, isOfBus in
        [false, true].map { isAfter in
            let word = name.split(separator: ".").last.map(String.init) ?? name
            return WireFault(
                description: "\(word) \(isAfter ? "after the deed" : "in place of it")",
                lies: isAfter,
                saysGone: ["UnknownMethod", "NoSuchObject"].contains(word)
            ) { _ in
                BusProxy.Harm(isAfter: isAfter, .error(name, isOfBus: isOfBus))
            }
        }
    }

    /// Returns the faults that apply to one call. Each operation begins with another fault.
    static func chosen(_ faults: [WireFault], for number: Int, of operation: String, _ count: Int) -> [WireFault] {
        if Sweep.hasAllFaults { return faults }
        let first = (operation.utf8.count + number) * count
        return (0..<min(count, faults.count)).map { faults[(first + $0) % faults.count] }
    }

    private static func death(_ name: String, isAfter: Bool, _ outcome: BusProxy.Harm.Outcome) -> WireFault {
        WireFault(description: name, kills: true) { keyring in
            BusProxy.Harm(isAfter: isAfter, outcome) {
                do {
                    try keyring.killDaemonAndActivate()
                } catch {
                    fatalError("The daemon cannot be killed: \(error)")
                }
            }
        }
    }
}
