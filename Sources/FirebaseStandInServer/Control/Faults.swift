internal import FoundationEssentials
internal import LoopbackServer
internal import Synchronization

/// What is to go wrong with calls to come.
package struct CallFault: Sendable, Codable, Hashable {
    package enum Kind: String, Sendable, Codable {
        /// The call is answered after ``CallFault/seconds``.
        case delay
        /// The call is answered when held calls are released.
        case hold
        /// 429, with `Retry-After` of ``CallFault/seconds``.
        case tooMany
        /// A page with ``CallFault/status``, as a broken proxy or server has.
        case status
        /// Google's no, with ``CallFault/message``.
        case refusal
        /// The connection is cut before any byte of the answer.
        case cut
        /// The connection is cut in the middle of the answer.
        case half
        /// A body of 50,000,000 bytes.
        case flood
        /// The page of a network that wants a login first.
        case portal
    }

    package var kind: Kind
    /// How the path of the calls ends; nil: all calls.
    package var path: String?
    /// How many calls the fault applies to; nil: one.
    package var times: Int?
    /// Whether the call is carried out before: then only its answer is lost or late. By default, nothing is done.
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
    /// Whether its numbers are ones that an answer can have.
    var isPossible: Bool {
        (0...1_000_000).contains(times ?? 1) && (0...86_400).contains(seconds ?? 0)
            && (100...599).contains(status ?? 500)
    }
}

/// The faults that were asked for, in order.
final class Faults: Sendable {
    /// A fault of a call that came, and what holds its answer until held calls are released, from now on.
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

    /// Forgets all, and lets go what is held.
    func clear() {
        state.withLock { $0.waiting = [] }
        release()
    }

    /// Lets go what is held.
    func release() {
        let gate = state.withLock { state in
            defer { state.gate = Gate() }
            return state.gate
        }
        gate.open()
    }

    /// The fault for a call, if there is one; this counts as one use of it.
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

    /// Answers a call with a fault; `carryOut` does what the call asks for.
    func answer(_ met: Met, _ carryOut: () async -> ServedAnswer) async -> ServedAnswer {
        let fault = met.fault
        if fault.after == true || fault.kind == .half {
            let answer = await carryOut()
            return await wait(met) ? answer : fault.answer(inPlaceOf: answer)
        }
        return await wait(met) ? await carryOut() : fault.answer(inPlaceOf: .cut)
    }

    /// Waits, if that is the fault.
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
