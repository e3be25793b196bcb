internal import FoundationEssentials

// Temporary passes: access for a limited time, without an account.

extension Refusal {
    static let temporaryPassIsOver = Refusal(
        403,
        "temporary_access_duration_limit_exceeded",
        "The temporary pass has expired.",
        action: "authentication"
    )
}

extension ServerState {
    /// Signs a device in with a temporary pass, for the remaining time of the pass.
    mutating func beginTemporaryPass(in context: CallContext) throws(Refusal) {
        let (provider, caller, now) = (context.provider, context.caller, context.now)
        if provider.temporaryPass?.needsIdentity == true, caller.identity == nil {
            throw Refusal(
                400,
                "invalid_header_identity_for_temporary_access",
                "This pass requires the user's identity in the header AP-TempPass-Identity."
            )
        }
        let trial = passes.trial(context.programmer.id, provider.id, for: caller)
        let expires = (trial.began ?? now) + controls.lifetimes.temporaryPass
        guard now < expires else { throw .temporaryPassIsOver }
        add(.temporary, in: context, user: caller.fingerprint, until: expires)
    }

    /// Uses a temporary pass for a resource. The first use starts its time. Returns a refusal if the pass is used up.
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
                "The pass covers \(limit) programmes, and all of them are used.",
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
