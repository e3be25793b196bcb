internal import FoundationEssentials

/// Performs an engine's steps in the token store, and reads the facts that the engine needs. Blocks.
struct EntitlementStore: Sendable {
    let tokens: PassTokenStore

    /// Reads the facts that an event needs.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - configured: The configured programmer.
    ///   - name: The programmer of the last `setRequestor` call.
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
            // A session that has ended since it was read is treated as signed out.
            if error.code == .sessionEnded { facts.session = nil } else { facts.failure = error }
        }
        return facts
    }

    /// Returns the programmer whose session an event concerns. A log-out does not wait for a configuration: the stored
    /// tokens show which TV providers there are.
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
            // The sign-in is valid without the metadata: if it cannot be cached, it is requested when an app reads it.
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
