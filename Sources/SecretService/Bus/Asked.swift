internal import GLibSupport

/// A question that is on its way: what is asked meanwhile costs no time of its own.
///
/// Its answer is to be awaited on the thread that has asked. A question whose answer nobody awaits is forgotten.
package struct Asked<Value> {
    private let wait: (Deadline) throws(SecretServiceError) -> Value

    init(_ wait: @escaping (Deadline) throws(SecretServiceError) -> Value) {
        self.wait = wait
    }

    /// Waits for the answer.
    package func answer(by deadline: Deadline) throws(SecretServiceError) -> Value { try wait(deadline) }

    /// The same question, of whose answer `transform` makes something else.
    package func map<Other>(
        _ transform: @escaping (Result<Value, SecretServiceError>) throws(SecretServiceError) -> Other
    ) -> Asked<Other> {
        Asked<Other> { [wait] (deadline) throws(SecretServiceError) in
            try transform(Result { () throws(SecretServiceError) in try wait(deadline) })
        }
    }
}

extension SecretService {
    /// Sends a request, whose answer is awaited later: as by ``call(_:by:)``, if nobody answers to the name.
    func ask<Value>(
        _ request: BusRequest,
        by deadline: Deadline,
        _ read: @escaping (Variant) throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> Asked<Value> {
        let connection = try connection(by: deadline)
        let pending = try connection.begin(request, by: deadline)
        return Asked { [self] (deadline) throws(SecretServiceError) in
            var isAsked = true
            let answer = try awaitingProvider(by: deadline) { () throws(SecretServiceError) in
                guard isAsked else { return try self.connection(by: deadline).call(request, by: deadline) }
                isAsked = false
                return try connection.wait(for: pending, by: deadline)
            }
            return try read(answer)
        }
    }

    /// Asks for the items that have at least these attributes; see ``items(matching:by:)``.
    package func askForItems(
        matching attributes: [String: String],
        by deadline: Deadline
    ) throws(SecretServiceError) -> Asked<SearchResult> {
        try ask(searchRequest(attributes), by: deadline) { [self] found in searchResult(found) }
    }

    /// Asks for the default collection and whether it is locked, and which program answers, unless that is known.
    ///
    /// That it is locked is asked of the alias, where the program knows it as an object; else once its path is known.
    package func askForDefaultCollection(
        by deadline: Deadline
    ) throws(SecretServiceError) -> Asked<(collection: SecretCollection, isLocked: Bool)> {
        let request = try defaultAliasRequest()
        let known = lastSender
        let path = try ask(request, by: deadline) { answer in answer[0].string }
        let lock = try? propertyRequest("Locked", of: .collection, at: "/org/freedesktop/secrets/aliases/default")
        let connection = try connection(by: deadline)
        let isLocked = lock.flatMap { lock in try? connection.begin(lock, by: deadline) }
        let provider = try askForProvider(on: connection, by: deadline)
        return Asked { [self] (deadline) throws(SecretServiceError) in
            let collection = try defaultCollection(
                path: path.answer(by: deadline),
                answering: request,
                after: known,
                by: deadline
            )
            provider?(deadline)
            if case .success(let answer) = isLocked?.wait(by: deadline),
                let isLocked = try? isLocked?.request.property("b", in: answer.body)
            {
                return (collection, isLocked.bool)
            }
            return (collection, try collection.isLocked(by: deadline))
        }
    }
}

extension SecretCollection {
    /// Asks whether the collection is locked.
    package func askIfLocked(by deadline: Deadline) throws(SecretServiceError) -> Asked<Bool> {
        let request = try service.propertyRequest("Locked", of: .collection, at: path)
        return try service.ask(request, by: deadline) { (answer) throws(SecretServiceError) in
            try request.property("b", in: answer).bool
        }
    }
}

extension SecretItem {
    /// Asks for the secret; nil if a session would have to be opened first.
    package func askForSecret(by deadline: Deadline) throws(SecretServiceError) -> Asked<Secret>? {
        let connection = try service.connection(by: deadline)
        guard let session = connection.session.present else { return nil }
        let pending = try connection.begin(secretRequest(in: session), by: deadline)
        return Asked { (deadline) throws(SecretServiceError) in
            do throws(SecretServiceError) {
                let answer = try connection.wait(for: pending, by: deadline)
                return try service.secret(from: answer[0], of: path, by: deadline)
            } catch {
                let isRepeated = session.mayBeLost(after: error, isNew: false) || error.code == .noProvider
                guard isRepeated else { throw error }
                return try secret(by: deadline)
            }
        }
    }
}
