internal import FoundationEssentials

/// Does what an engine wants of the token store, and reads the facts that it goes by. Blocks.
struct EntitlementStore: Sendable {
    let tokens: PassTokenStore

    /// Reads the facts that an event needs.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - configured: The programmer that is configured.
    ///   - name: The programmer that `setRequestor` named last.
    func facts(for event: EngineEvent, of configured: RequestorConfiguration?, named name: String?) -> Facts {
        var facts = Facts(now: tokens.options.now())
        do throws(PassStoreError) {
            guard let requestor = try requestor(for: event, configured, name) else { return facts }
            facts.session = try tokens.session(of: requestor)
            facts.chosen = try tokens.selection(of: requestor)
            guard let session = facts.session, case .called(_, let call) = event else { return facts }
            switch call {
            case .authorization(let call):
                facts.authorization = try tokens.authorization(for: call.resource, in: session)
            case .getMetadata(.authorization(let resource)):
                facts.authorization = try tokens.authorization(for: resource, in: session)
            case .getMetadata(.user), .checkPreauthorizedResources, .preauthorize:
                facts.cache = try tokens.cache(of: session)
            default: break
            }
        } catch {
            // A session that ended since it was read is none.
            if error.code == .sessionEnded { facts.session = nil } else { facts.failure = error }
        }
        return facts
    }

    /// The programmer whose session an event is about. A log-out does not wait for a configuration: what is stored says which
    /// TV providers there are.
    private func requestor(
        for event: EngineEvent,
        _ configured: RequestorConfiguration?,
        _ name: String?
    ) throws(PassStoreError) -> RequestorConfiguration? {
        guard case .called(_, .logOut) = event, let name, configured?.id != name else { return configured }
        return RequestorConfiguration(id: name, integrations: try tokens.storedIntegrations(of: name))
    }

    func perform(_ step: StoreStep) throws(PassStoreError) -> StoreAnswer {
        switch step {
        case .checkIntegrity(let requestor):
            _ = try tokens.checkIntegrity(
                for: RequestorConfiguration(id: requestor, integrations: []),
                by: tokens.deadline
            )
        case .prepare(let requestor):
            let report = try tokens.prepare(for: requestor, after: .init(), by: tokens.deadline)
            return .prepared(report)
        case .signIn(let token, let requestor, let metadata):
            let session = try tokens.signIn(token, for: requestor)
            // The sign-in stands without it: what is not kept is asked for when an app wants it.
            if let kept = metadata.flatMap(UserMetadata.kept) {
                _ = try? tokens.updateCache(of: session) { $0.userMetadata = kept }
            }
        case .choose(let mvpd, let requestor):
            try tokens.select(mvpd, for: requestor)
        case .keep(let authorization, let session):
            try tokens.updateCache(of: session) { $0.keep(authorization) }
        case .keepPreauthorization(let answer, let session):
            try tokens.updateCache(of: session) { $0.preauthorization = answer }
        case .keepMetadata(let envelope, let session):
            if let kept = UserMetadata.kept(of: envelope) {
                try tokens.updateCache(of: session) { $0.userMetadata = kept }
            }
        case .discardDevice(let session):
            try tokens.discardTokens(ofDeviceIn: session)
        case .discard(let session):
            try tokens.discard(session)
        case .wipe(let requestor):
            try tokens.logOut(for: requestor, by: tokens.deadline)
        }
        return .done
    }
}
