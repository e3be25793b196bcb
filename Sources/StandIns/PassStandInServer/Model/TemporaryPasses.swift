internal import FoundationEssentials

/// The use of temporary passes. The time of a pass starts with the first authorization.
struct TemporaryPasses: Sendable {
    /// One temporary pass of a programmer.
    struct Trial: Sendable {
        fileprivate let requestor: String
        fileprivate let mvpd: String
        fileprivate var fingerprints: Set<String>
        fileprivate var identities: Set<String>
        /// The time of the first use.
        var began: Date?
        /// The resources that the pass has authorized.
        var resources: Set<String> = []
    }

    private var trials: [Trial] = []

    /// Returns the trial with the caller's device or user identity, or a new one.
    func trial(_ requestor: String, _ mvpd: String, for caller: Caller) -> Trial {
        trials.first { $0.isOf(requestor, mvpd, caller) }
            ?? Trial(
                requestor: requestor,
                mvpd: mvpd,
                fingerprints: [caller.fingerprint],
                identities: Set([caller.identity].compactMap(\.self))
            )
    }

    /// Records that a resource was authorized.
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
