internal import DesktopSupport

extension SecretService {
    /// The items that have at least these attributes, in all collections. One round trip.
    ///
    /// Throws `.invalidArgument` if there are no attributes. Some daemons prompt the person to unlock when they are
    /// searched while locked, and hide items from a search for `xdg:schema` until they are unlocked.
    public func items(
        matching attributes: [String: String],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SearchResult {
        searchResult(try call(searchRequest(attributes), by: self.deadline(by: deadline)))
    }

    /// Searches as ``items(matching:by:)`` does, and opens the session at the same time if there is none: for a caller that
    /// expects to find a secret and read it.
    package func items(
        expectedToMatch attributes: [String: String],
        by deadline: Deadline
    ) throws(SecretServiceError) -> SearchResult {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            let request = try searchRequest(attributes)
            let connection = try connection(by: deadline)
            let answer = try callOpeningSession(request, on: connection, by: deadline)
            return searchResult(answer)
        }
    }

    /// Requests the items that have at least these attributes; see ``items(matching:by:)``.
    package func askForItems(
        matching attributes: [String: String],
        by deadline: Deadline
    ) throws(SecretServiceError) -> SentRequest<SearchResult> {
        try ask(searchRequest(attributes), by: deadline) { [self] found in searchResult(found) }
    }

    /// A request for items.
    func searchRequest(_ attributes: [String: String]) throws(SecretServiceError) -> BusRequest {
        let wanted = Variant.stringDictionary(try Wire.attributes(attributes))
        return try serviceRequest("SearchItems", .tuple(wanted), answer: "(aoao)")
    }

    /// The items in an answer to a search request.
    func searchResult(_ found: Variant) -> SearchResult {
        SearchResult(unlocked: items(at: found[0].strings), locked: items(at: found[1].strings))
    }

    /// The items that a daemon has named, in its order; one that it has named twice is one item.
    func items(at paths: [String]) -> [SecretItem] {
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }.map(item(at:))
    }

    /// A handle on the item at a known path; does not check whether it exists.
    public func item(at path: String) -> SecretItem {
        SecretItem(path: path, service: self)
    }

    /// The secrets of several items in one round trip; items that are missing or locked are left out.
    public func secrets(
        of items: [SecretItem],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> [SecretItem: Secret] {
        let deadline = self.deadline(by: deadline)
        if let secrets = try secretsAtOnce(of: items, by: deadline) { return secrets }
        return try readOneByOne(items, by: deadline).secrets
    }

    /// The secrets of several items, in one round trip where all can be read, and what keeps the others from being read.
    ///
    /// An item that was locked or deleted since it was found is among the result's locked or missing ones, never simply
    /// left out.
    package func readSecrets(of items: [SecretItem], by deadline: Deadline) throws(SecretServiceError) -> SecretsReading
    {
        guard let secrets = try secretsAtOnce(of: items, by: deadline) else {
            return try readOneByOne(items, by: deadline)
        }
        var reading = try readOneByOne(items.filter { secrets[$0] == nil }, by: deadline)
        reading.secrets.merge(secrets) { one, _ in one }
        return reading
    }

    private func readOneByOne(
        _ items: [SecretItem],
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretsReading {
        var reading = SecretsReading(secrets: [:])
        for item in items {
            do throws(SecretServiceError) {
                reading.secrets[item] = try item.secret(by: deadline)
            } catch {
                switch error.code {
                case .locked: reading.locked.append(item)
                case .noSuchItem: reading.missing.append(item)
                default: throw error
                }
            }
        }
        return reading
    }

    /// The secrets that `GetSecrets` returns; nil if the daemon refuses all because of one.
    private func secretsAtOnce(
        of items: [SecretItem],
        by deadline: Deadline
    ) throws(SecretServiceError) -> [SecretItem: Secret]? {
        guard !items.isEmpty else { return [:] }
        var paths: [String] = []
        for item in items {
            paths.append(try Wire.objectPath(item.path))
        }
        let answer: Variant
        do throws(SecretServiceError) {
            answer = try callInSession(by: deadline) { session throws(SecretServiceError) in
                let arguments = Variant.tuple(.objectPaths(paths), .objectPath(session.path))
                return try serviceRequest("GetSecrets", arguments, answer: "(a{o\(Secret.wireType)})")
            }
        } catch {
            switch error.remoteErrorName {
            case "org.freedesktop.DBus.Error.InvalidArgs", "org.freedesktop.Secret.Error.NoSuchObject",
                "org.freedesktop.Secret.Error.IsLocked", "org.freedesktop.DBus.Error.UnknownObject":
                // KWallet and others refuse all for one that is missing.
                return nil
            default:
                throw error
            }
        }
        let asked = Set(paths)
        var secrets: [SecretItem: Secret] = [:]
        for entry in answer[0].children {
            let path = entry[0].string
            guard asked.contains(path) else { continue }
            secrets[item(at: path)] = try secret(from: entry[1], of: path, by: deadline)
        }
        return secrets
    }

    /// The attributes of several items, all requested together.
    ///
    /// `work`, which may call this service, is done while the answers are on their way, and once more if the call had to
    /// wait for a daemon.
    package func attributes<Done>(
        of items: [SecretItem],
        by deadline: Deadline,
        meanwhile work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> (attributes: [[String: String]], done: Done) {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            try presentAttributes(of: items, by: deadline, meanwhile: work)
        }
    }

    private func presentAttributes<Done>(
        of items: [SecretItem],
        by deadline: Deadline,
        meanwhile work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> (attributes: [[String: String]], done: Done) {
        let connection = try connection(by: deadline)
        let context = AnswerContext()
        var answers: [PendingAnswer] = []
        for item in items {
            let request = try propertyRequest("Attributes", of: .item, at: item.path)
            answers.append(try connection.begin(request, awaitedIn: context, by: deadline))
        }
        let done = try work()
        var attributes: [[String: String]] = []
        for answer in answers {
            let value = try connection.wait(for: answer, by: deadline)
            attributes.append(try answer.request.property("a{ss}", in: value).stringDictionary)
        }
        return (attributes, done)
    }
}

extension SecretService {
    /// What several items say of themselves, all requested together; nil in the place of one that is gone.
    package func descriptions(
        of items: [SecretItem],
        by deadline: Deadline
    ) throws(SecretServiceError) -> [ItemDescription?] {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            try presentDescriptions(of: items, by: deadline)
        }
    }

    private func presentDescriptions(
        of items: [SecretItem],
        by deadline: Deadline
    ) throws(SecretServiceError) -> [ItemDescription?] {
        let connection = try connection(by: deadline)
        let context = AnswerContext()
        var answers: [(attributes: PendingAnswer, modified: PendingAnswer)] = []
        for item in items {
            let attributes = try propertyRequest("Attributes", of: .item, at: item.path)
            let modified = try propertyRequest("Modified", of: .item, at: item.path)
            answers.append(
                (
                    try connection.begin(attributes, awaitedIn: context, by: deadline),
                    try connection.begin(modified, awaitedIn: context, by: deadline)
                )
            )
        }
        var descriptions: [ItemDescription?] = []
        for (attributes, modified) in answers {
            do throws(SecretServiceError) {
                let found = try connection.wait(for: attributes, by: deadline)
                // Not every daemon notes it.
                let time = (try? connection.wait(for: modified, by: deadline)).flatMap { answer in
                    try? modified.request.property("t", in: answer).uint64
                }
                descriptions.append(
                    ItemDescription(
                        attributes: try attributes.request.property("a{ss}", in: found).stringDictionary,
                        modified: time == 0 ? nil : time
                    )
                )
            } catch {
                guard error.code == .noSuchItem else { throw error }
                descriptions.append(nil)
            }
        }
        return descriptions
    }
}

/// What an item says of itself.
package struct ItemDescription: Sendable {
    /// The attributes by which it is found, including those that the daemon added.
    package let attributes: [String: String]
    /// When it was last changed, in seconds since 1970; nil if the daemon does not say.
    package let modified: UInt64?
}

/// The items that a search found, in the order in which the daemon named them.
public struct SearchResult: Sendable, Hashable {
    /// Items whose secrets can be read now.
    public let unlocked: [SecretItem]
    /// Items that match but cannot be read before they are unlocked.
    public let locked: [SecretItem]

    package init(unlocked: [SecretItem], locked: [SecretItem]) {
        self.unlocked = unlocked
        self.locked = locked
    }
}

/// The outcome of reading the secrets of several items.
package struct SecretsReading: Sendable {
    /// The secrets that could be read.
    package var secrets: [SecretItem: Secret]
    /// Items that exist and are locked.
    package var locked: [SecretItem] = []
    /// Items that no longer exist.
    package var missing: [SecretItem] = []
}
