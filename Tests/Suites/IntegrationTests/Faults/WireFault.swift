import Foundation
import TestSupport

/// A harm that is done on the wire to one call of an operation.
struct WireFault: Sendable, CustomStringConvertible {
    let description: String
    /// Whether an error is the answer to what was done all the same: the call's word is not its deed.
    var lies = false
    /// Whether the error says that there is no such object, which is what its absence looks like: who deletes it is content.
    var saysGone = false
    /// Whether the daemon dies of it, and comes back locked.
    var kills = false
    let harm: @Sendable (PrivateKeyring) -> BusProxy.Harm

    private static let noReply = BusProxy.Harm.Outcome.error("org.freedesktop.DBus.Error.NoReply", isOfBus: true)

    /// The daemon dies: before it is called, while it has the call, or when it has carried it out.
    static let deaths: [WireFault] = [
        death("dead before the call", isAfter: false, .passed),
        death("dies at the call", isAfter: false, noReply),
        death("dies after the deed", isAfter: true, noReply),
    ]

    /// Our connection is cut.
    static let cuts: [WireFault] = [
        WireFault(description: "cut before the call") { _ in BusProxy.Harm(isAfter: false, .cut) },
        WireFault(description: "cut after the deed") { _ in BusProxy.Harm(isAfter: true, .cut) },
    ]

    /// An error comes in the place of the answer, for a call that was turned down and for one that was carried out.
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

    /// Whether every fault is tried at every call, or each call gets some in turn, as in an ordinary run.
    static let isWhole = ProcessInfo.processInfo.environment["SHAREDAUTH_SWEEP"] == "all"

    /// Those of some faults that this call of an operation gets; each operation begins with another.
    static func chosen(_ faults: [WireFault], for number: Int, of operation: String, _ count: Int) -> [WireFault] {
        if isWhole { return faults }
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
