internal import FoundationEssentials

/// The programmer, TV provider and device of a call, and its time.
struct CallContext: Sendable {
    let programmer: Programmer
    let provider: Provider
    let caller: Caller
    let now: Date
}
