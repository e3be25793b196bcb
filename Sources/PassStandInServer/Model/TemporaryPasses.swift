internal import FoundationEssentials

/// The use of temporary passes. A pass begins with the first authorization, and goes by the clock from then on.
struct TemporaryPasses: Sendable {
    /// One pass of a programmer.
    struct Trial: Sendable {
        fileprivate let requestor: String
        fileprivate let mvpd: String
        fileprivate var fingerprints: Set<String>
        fileprivate var identities: Set<String>
        /// When it was first used.
        var began: Date?
        /// The resources that it authorized.
        var resources: Set<String> = []
    }

    private var trials: [Trial] = []

    /// The trial that a caller is in, by the device or by who the person is; a new one where there is none.
    func trial(_ requestor: String, _ mvpd: String, for caller: Caller) -> Trial {
        trials.first { $0.isOf(requestor, mvpd, caller) }
            ?? Trial(
                requestor: requestor,
                mvpd: mvpd,
                fingerprints: [caller.fingerprint],
                identities: Set([caller.identity].compactMap(\.self))
            )
    }

    /// Notes that a resource was authorized.
    mutating func use(_ resource: String, of trial: Trial, by caller: Caller, now: Date) {
        var used = trial
        used.began = trial.began ?? now
        used.resources.insert(resource)
        used.fingerprints.insert(caller.fingerprint)
        if let identity = caller.identity { used.identities.insert(identity) }
        trials.removeAll { $0.isOf(trial.requestor, trial.mvpd, caller) }
        trials.append(used)
    }

    mutating func reset() { trials = [] }
}

extension TemporaryPasses.Trial {
    fileprivate func isOf(_ requestor: String, _ mvpd: String, _ caller: Caller) -> Bool {
        guard requestor == self.requestor, mvpd == self.mvpd else { return false }
        return fingerprints.contains(caller.fingerprint) || caller.identity.map(identities.contains) == true
    }
}
