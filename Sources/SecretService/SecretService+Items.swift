extension SecretService {
    /// The items that have at least these attributes, in all collections. One round trip.
    ///
    /// Throws `.invalidArgument` if there are no attributes. Some providers ask the person to unlock when a search comes while
    /// they are locked, and hide items from a search for `xdg:schema` until they are unlocked.
    public func items(
        matching attributes: [String: String],
        within deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SearchResult {
        let wanted = Variant.stringDictionary(try Wire.attributes(attributes))
        let request = try serviceRequest("SearchItems", .tuple(wanted), answer: "(aoao)")
        let found = try call(request, by: self.deadline(deadline))
        return SearchResult(unlocked: found[0].strings.map(item(at:)), locked: found[1].strings.map(item(at:)))
    }

    /// A handle on the item at a path that is known already; asks nobody whether it exists.
    public func item(at path: String) -> SecretItem {
        SecretItem(path: path, service: self)
    }

    /// The secrets of several items in one round trip; items that are missing or locked are left out.
    public func secrets(
        of items: [SecretItem],
        within deadline: Deadline? = nil
    ) throws(SecretServiceError) -> [SecretItem: Secret] {
        guard !items.isEmpty else { return [:] }
        var paths: [String] = []
        for item in items {
            paths.append(try Wire.objectPath(item.path))
        }
        let deadline = self.deadline(deadline)
        do throws(SecretServiceError) {
            let answer = try callInSession(by: deadline) { session throws(SecretServiceError) in
                let arguments = Variant.tuple(.objectPaths(paths), .objectPath(session.path))
                return try serviceRequest("GetSecrets", arguments, answer: "(a{o\(Secret.wireType)})")
            }
            var secrets: [SecretItem: Secret] = [:]
            for entry in answer[0].children {
                let path = entry[0].string
                secrets[item(at: path)] = try secret(from: entry[1], of: path, by: deadline)
            }
            return secrets
        } catch {
            switch error.remoteErrorName {
            case "org.freedesktop.DBus.Error.InvalidArgs", "org.freedesktop.Secret.Error.NoSuchObject",
                "org.freedesktop.Secret.Error.IsLocked", "org.freedesktop.DBus.Error.UnknownObject":
                // KWallet and others refuse all for one that is missing.
                return try secretsOneByOne(of: items, by: deadline)
            default:
                throw error
            }
        }
    }

    /// The attributes of several items, asked for all at once; `work`, which may call through this very object, is done
    /// while the answers are on their way, and again if a provider had to be waited for.
    package func attributes<Done>(
        of items: [SecretItem],
        within deadline: Deadline,
        meanwhile work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> (attributes: [[String: String]], done: Done) {
        try awaitingProvider(by: deadline) { () throws(SecretServiceError) in
            try presentAttributes(of: items, by: deadline, meanwhile: work)
        }
    }

    private func presentAttributes<Done>(
        of items: [SecretItem],
        by deadline: Deadline,
        meanwhile work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> (attributes: [[String: String]], done: Done) {
        let connection = try connection(by: deadline)
        var questions: [(request: BusRequest, answer: PendingAnswer)] = []
        for item in items {
            let request = try propertyRequest("Attributes", of: .item, at: item.path)
            questions.append((request, try connection.begin(request, by: deadline)))
        }
        let done = try work()
        var attributes: [[String: String]] = []
        for question in questions {
            let answer = try question.answer.wait(by: deadline)
            attributes.append(try question.request.property("a{ss}", in: answer).stringDictionary)
        }
        return (attributes, done)
    }

    private func secretsOneByOne(of items: [SecretItem], by deadline: Deadline) throws(SecretServiceError)
        -> [SecretItem: Secret]
    {
        var secrets: [SecretItem: Secret] = [:]
        for item in items {
            do throws(SecretServiceError) {
                secrets[item] = try item.secret(within: deadline)
            } catch {
                guard error.code == .noSuchItem || error.code == .locked else { throw error }
            }
        }
        return secrets
    }
}
