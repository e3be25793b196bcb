internal import FoundationEssentials

// Temporary passes: no account, good for a while.

extension Refusal {
    static let temporaryPassIsOver = Refusal(
        403,
        "temporary_access_duration_limit_exceeded",
        "The temporary pass is over.",
        action: "authentication"
    )
}

extension ServerState {
    /// Signs a device in by a temporary pass, for what is left of it.
    mutating func beginTemporaryPass(in context: CallContext) throws(Refusal) {
        let (provider, caller, now) = (context.provider, context.caller, context.now)
        if provider.temporaryPass?.needsIdentity == true, caller.identity == nil {
            throw Refusal(
                400,
                "invalid_header_identity_for_temporary_access",
                "This pass has to know who the person is, by the header AP-TempPass-Identity."
            )
        }
        let trial = passes.trial(context.programmer.id, provider.id, for: caller)
        let expires = (trial.began ?? now) + controls.lifetimes.temporaryPass
        guard now < expires else { throw .temporaryPassIsOver }
        add(.temporary, in: context, user: caller.fingerprint, until: expires)
    }

    /// Uses a temporary pass for a resource, from the first time on by the clock; why it cannot be, if it cannot.
    mutating func useTemporaryPass(
        _ resource: String,
        of profile: Profile,
        in context: CallContext
    ) -> Refusal? {
        let (provider, caller, now) = (context.provider, context.caller, context.now)
        let trial = passes.trial(profile.requestor, profile.mvpd, for: caller)
        let expires = (trial.began ?? now) + controls.lifetimes.temporaryPass
        if now >= expires { return .temporaryPassIsOver }
        if let limit = provider.temporaryPass?.resourceLimit, !trial.resources.contains(resource),
            trial.resources.count >= limit
        {
            return Refusal(
                403,
                "temporary_access_resources_limit_exceeded",
                "The pass is good for \(limit) programmes, and they are used.",
                action: "authentication"
            )
        }
        passes.use(resource, of: trial, by: caller, now: now)
        var used = profile
        used.expires = expires
        profiles.add(used)
        return nil
    }
}
