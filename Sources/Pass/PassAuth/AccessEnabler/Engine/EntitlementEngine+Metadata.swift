internal import Formats
internal import FoundationEssentials

extension EntitlementEngine {
    /// Returns metadata from the tokens, or the TV provider's metadata about the user: cached, or requested once.
    mutating func getMetadata(_ id: CallID, _ key: MetadataKey, _ facts: Facts) {
        if let failure = facts.failure { report(.internalError, failure.message) }
        if key == .deviceID {
            let isAllowed = configuration?.allowsDeviceID == true
            return answer(id, MetadataAnswer(key, isAllowed ? .string(rules.fingerprint) : nil))
        }
        guard let session = facts.session else { return answer(id, MetadataAnswer(key)) }
        switch key {
        case .authentication:
            answer(id, MetadataAnswer(key, .string(TokenDate.text(session.token.expires))))
        case .authorization:
            answer(id, MetadataAnswer(key, facts.authorization.map { .string(TokenDate.text($0.expires)) }))
        case .user(let name):
            if let metadata = UserMetadata(facts.cache?.userMetadata), metadata.omitted?.contains(name) != true {
                return answer(id, metadata.answer(to: key, named: name))
            }
            ask(.userMetadata, request(session.token.mvpd, session.token), for: .metadata(id, key, session))
        case .deviceID: break
        }
    }

    mutating func takeMetadata(
        _ answer: Result<BackEndAnswer, PassBackendError>,
        of session: PassSession,
        for key: MetadataKey,
        _ id: CallID
    ) {
        // Any failure, also throttling, gives an empty result.
        guard case .success(.metadata(let envelope?)) = answer, let metadata = UserMetadata(envelope),
            case .user(let name) = key
        else { return self.answer(id, MetadataAnswer(key)) }
        store(.keepMetadata(envelope, session), for: .nothing)
        self.answer(id, metadata.answer(to: key, named: name))
    }

    private mutating func answer(_ id: CallID, _ answer: MetadataAnswer) {
        tell(.metadata(answer))
        end(id, .metadata(answer))
    }
}

extension UserMetadata {
    fileprivate func answer(to key: MetadataKey, named name: String) -> MetadataAnswer {
        MetadataAnswer(key, data[name], isEncrypted: encrypted?.contains(name) == true)
    }
}
