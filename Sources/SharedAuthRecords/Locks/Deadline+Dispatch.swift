package import Dispatch
package import SecretService

extension Deadline {
    /// The deadline in Dispatch's terms.
    package var dispatchTime: DispatchTime {
        let (seconds, attoseconds) = remaining.components
        return .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    }
}
