internal import DesktopSupport

extension SecretService {
    /// Returns the items of all collections that have at least these attributes. Costs one round trip.
    ///
    /// Throws `.invalidArgument` if there are no attributes. If the keyring is locked, some daemons prompt the user to
    /// unlock it on a search, and hide items from a search for `xdg:schema` until they are unlocked.
    public func items(
        matching attributes: [String: String],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SearchResult {
        searchResult(try call(searchRequest(attributes), by: self.deadline(by: deadline)))
    }

    /// Searches as ``items(matching:by:)`` does, and opens a session at the same time if needed. Use it if a
    /// secret is expected to be found and read.
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

    /// Requests the items that have at least these attributes. See ``items(matching:by:)``.
    package func askForItems(
        matching attributes: [String: String],
        by deadline: Deadline
    ) throws(SecretServiceError) -> SentRequest<SearchResult> {
        try ask(searchRequest(attributes), by: deadline) { [self] found in searchResult(found) }
    }

    /// Creates a search request.
    func searchRequest(_ attributes: [String: String]) throws(SecretServiceError) -> BusRequest {
        let wanted = Variant.stringDictionary(try Wire.attributes(attributes))
        return try serviceRequest("SearchItems", .tuple(wanted), answer: "(aoao)")
    }

    /// Returns the items in the reply to a search request.
    func searchResult(_ found: Variant) -> SearchResult {
        SearchResult(unlocked: items(at: found[0].strings), locked: items(at: found[1].strings))
    }

    /// Returns the items with these paths, in their order and without duplicates.
    func items(at paths: [String]) -> [SecretItem] {
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }.map(item(at:))
    }

    /// Returns a handle for the item at a path. Does not check that the item exists.
    public func item(at path: String) -> SecretItem {
        SecretItem(path: path, service: self)
    }

    /// Returns the secrets of several items in one round trip. Omits items that are missing or locked.
    public func secrets(
        of items: [SecretItem],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> [SecretItem: Secret] {
        let deadline = self.deadline(by: deadline)
        if let secrets = try secretsAtOnce(of: items, by: deadline) { return secrets }
        return try readOneByOne(items, by: deadline).secrets
    }

    /// Reads the secrets of several items, in one round trip if all can be read.
    ///
    /// An item that was locked or deleted since it was found is listed in the result's locked or missing items. No item
    /// is omitted.
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

    /// Returns the secrets from `GetSecrets`; nil if the daemon refuses the whole call because of one item.
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
                // KWallet and others refuse the whole call if one item is missing.
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

    /// Returns the attributes of several items, all requested at the same time.
    ///
    /// - Parameter work: Called before the replies are awaited, and once more if the call had to wait for a daemon. It
    ///   may call this service.
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
    /// Returns the descriptions of several items, all requested at the same time; nil for an item that no longer
    /// exists.
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
                // Not every daemon records the time.
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

/// An item's attributes and the time of its last change.
package struct ItemDescription: Sendable {
    /// The attributes by which the item is found, including those that the daemon added.
    package let attributes: [String: String]
    /// The time of the last change, in seconds since 1970; nil if the daemon does not report it.
    package let modified: UInt64?
}

/// The result of a search, in the daemon's order.
public struct SearchResult: Sendable, Hashable {
    /// Matching items whose secrets can be read now.
    public let unlocked: [SecretItem]
    /// Matching items that cannot be read before they are unlocked.
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
