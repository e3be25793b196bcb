internal import FoundationEssentials

/// The programmer, TV provider and device that a call is about, and the time of the call.
struct CallContext: Sendable {
    let programmer: Programmer
    let provider: Provider
    let caller: Caller
    let now: Date
}
