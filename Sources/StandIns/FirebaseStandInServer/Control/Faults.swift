internal import FoundationEssentials
internal import LoopbackServer
internal import Synchronization

/// A fault in future calls.
package struct CallFault: Sendable, Codable, Hashable {
    package enum Kind: String, Sendable, Codable {
        /// The response is delayed by ``CallFault/seconds``.
        case delay
        /// The response is sent when held calls are released.
        case hold
        /// Status 429, with `Retry-After` of ``CallFault/seconds``.
        case tooMany
        /// An HTML page with ``CallFault/status``, as from a broken proxy or server.
        case status
        /// An error in Google's format, with ``CallFault/message``.
        case refusal
        /// The connection is cut before the first byte of the response.
        case cut
        /// The connection is cut in the middle of the response.
        case half
        /// A body of 50,000,000 bytes.
        case flood
        /// The login page of a captive portal.
        case portal
    }

    package var kind: Kind
    /// The suffix of the calls' path; nil for all calls.
    package var path: String?
    /// The number of calls that the fault applies to; nil for one.
    package var times: Int?
    /// True to execute the call first, so that only its response is lost or late. By default, a delayed or held call is
    /// executed after the wait, and a call with any other fault but `half` is not executed.
    package var after: Bool?
    package var seconds: Double?
    package var status: Int?
    package var message: String?

    package init(_ kind: Kind, path: String? = nil, times: Int = 1, after: Bool = false) {
        self.kind = kind
        self.path = path
        self.times = times
        self.after = after
    }
}

extension CallFault {
    /// True if all numbers are in the valid ranges.
    var isPossible: Bool {
        (0...1_000_000).contains(times ?? 1) && (0...86_400).contains(seconds ?? 0)
            && (100...599).contains(status ?? 500)
    }
}

/// The requested faults, in order.
final class Faults: Sendable {
    /// The fault of an arrived call, and the gate that holds its response until held calls are released.
    struct Met {
        let fault: CallFault
        fileprivate let gate: Gate
    }

    private struct State {
        var waiting: [CallFault] = []
        var gate = Gate()
    }

    private let state = Mutex(State())

    func add(_ fault: CallFault) { state.withLock { $0.waiting.append(fault) } }

    /// Removes all faults, and releases the held calls.
    func clear() {
        state.withLock { $0.waiting = [] }
        release()
    }

    /// Releases the held calls.
    func release() {
        let gate = state.withLock { state in
            defer { state.gate = Gate() }
            return state.gate
        }
        gate.open()
    }

    /// Returns the fault for a call, if there is one, and counts one use of it.
    func take(for path: String) -> Met? {
        state.withLock { state in
            let place = state.waiting.firstIndex { fault in fault.path.map { path.hasSuffix($0) } ?? true }
            guard let place else { return nil }
            let fault = state.waiting[place]
            let left = (fault.times ?? 1) - 1
            if left > 0 { state.waiting[place].times = left } else { state.waiting.remove(at: place) }
            return Met(fault: fault, gate: state.gate)
        }
    }

    /// Returns the response to a call with a fault. `carryOut` executes the call.
    func answer(_ met: Met, _ carryOut: () async -> ServedAnswer) async -> ServedAnswer {
        let fault = met.fault
        if fault.after == true || fault.kind == .half {
            let answer = await carryOut()
            return await wait(met) ? answer : fault.answer(inPlaceOf: answer)
        }
        return await wait(met) ? await carryOut() : fault.answer(inPlaceOf: .cut)
    }

    /// Waits if the fault is a delay or a hold. Returns false for any other fault.
    private func wait(_ met: Met) async -> Bool {
        switch met.fault.kind {
        case .delay: try? await Task.sleep(for: .seconds(met.fault.seconds ?? 1))
        case .hold: await met.gate.wait()
        default: return false
        }
        return true
    }
}

extension CallFault {
    fileprivate func answer(inPlaceOf answer: ServedAnswer) -> ServedAnswer {
        switch kind {
        case .delay, .hold: answer
        case .tooMany: .tooMany(retryAfter: Int(seconds ?? 1))
        case .status: .page(HTMLPage("Error \(status ?? 503)", []), status: status ?? 503)
        case .refusal: refusal
        case .cut: .cut
        case .half: answer.half
        case .flood: .flood(bytes: 50_000_000)
        case .portal:
            .page(HTMLPage("Welcome to the network", [HTMLPage.paragraph("Please log in to use the network.")]))
        }
    }

    private var refusal: ServedAnswer {
        var refusal = Refusal(message ?? "INTERNAL_ERROR")
        refusal.status = status ?? 400
        return refusal.answer
    }
}
