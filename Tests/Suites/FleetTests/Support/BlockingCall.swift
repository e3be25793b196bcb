import DesktopSupport
import TestSupport

@testable import SharedAuthFleet

/// A call that blocks, made on a thread of its own.
final class BlockingCall<Value: Sendable>: Sendable {
    private let result = Monitor<Result<Value, FleetError>?>(nil)

    init(_ body: @escaping @Sendable () throws(FleetError) -> Value) {
        startThread(named: "call") { [result] in
            let outcome = Result(catching: body)
            result.update { $0 = outcome }
        }
    }

    /// Waits for the call, and returns its value.
    func value() throws -> Value {
        guard let result = result.wait(until: .patient, { $0 }) else {
            throw FleetError(.failed, "The call has not returned.")
        }
        return try result.get()
    }
}

extension Fleet {
    /// Enrols another device, which joins while this one waits for it.
    func enrol(_ other: Fleet, named name: String, at address: ServerAddress) throws {
        let invitation = try inviteDevice(by: .patient)
        let end = Cancellation()
        let host = BlockingCall { () throws(FleetError) in
            try invitation.admitDevice(by: .after(.patience, cancelledBy: end))
        }
        let joining = Result {
            let code = try EnrolmentCode(invitation.code.text)
            try other.join(at: address, with: code, deviceName: name, by: .patient)
        }
        if case .failure = joining { end.cancel() }
        // The host's error is the reason of the other's.
        _ = try host.value()
        try joining.get()
    }
}
