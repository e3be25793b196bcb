internal import DesktopSupport

extension SecretService {
    /// Returns the default collection.
    ///
    /// Throws `.noDefaultCollection` if the daemon has none, as on a new machine. Costs one round trip. If the daemon
    /// reports none and has not replied to this service before, a second round trip confirms it: GNOME Keyring
    /// sometimes wrongly reports none in its reply to the first call of a connection.
    public func defaultCollection(by deadline: Deadline? = nil) throws(SecretServiceError) -> SecretCollection {
        let request = try defaultAliasRequest()
        let deadline = self.deadline(by: deadline)
        let known = lastSender
        let path = try call(request, by: deadline)[0].string
        return try defaultCollection(path: path, answering: request, after: known, by: deadline)
    }

    /// Requests the default collection and its lock state.
    ///
    /// The lock state is read from the alias if the daemon exports it as an object, otherwise from the collection's
    /// path.
    ///
    /// - Parameter identifying: Whether the daemon's identity is requested, too, unless it is known.
    package func askForDefaultCollection(
        identifying: Bool,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SentRequest<(collection: SecretCollection, isLocked: Bool)> {
        let request = try defaultAliasRequest()
        let known = lastSender
        let path = try ask(request, by: deadline) { answer in answer[0].string }
        let lock = try? propertyRequest("Locked", of: .collection, at: "/org/freedesktop/secrets/aliases/default")
        let connection = try connection(by: deadline)
        let isLocked = lock.flatMap { lock in try? connection.begin(lock, by: deadline) }
        let daemon = identifying ? try askForDaemon(on: connection, by: deadline) : nil
        return SentRequest { [self] (deadline) throws(SecretServiceError) in
            let collection = try defaultCollection(
                path: path.answer(by: deadline),
                answering: request,
                after: known,
                by: deadline
            )
            daemon?(deadline)
            if case .success(let answer) = isLocked?.wait(by: deadline),
                let isLocked = try? isLocked?.request.property("b", in: answer.body)
            {
                return (collection, isLocked.bool)
            }
            return (collection, try collection.isLocked(by: deadline))
        }
    }

    /// Creates a request for the path of the default collection.
    func defaultAliasRequest() throws(SecretServiceError) -> BusRequest {
        try serviceRequest("ReadAlias", .tuple(.string("default")), answer: "(o)")
    }

    /// Returns the default collection at the path in the reply to `request`.
    ///
    /// - Parameter known: The unique name of the daemon that had replied before.
    func defaultCollection(
        path answered: String,
        answering request: BusRequest,
        after known: String?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretCollection {
        var path = answered
        if path == "/", known == nil || lastSender != known {
            path = try call(request, by: deadline)[0].string
        }
        guard path != "/" else {
            throw lackingDefault(by: deadline)
        }
        return SecretCollection(path: path, service: self)
    }

    /// Returns all collections, including locked and memory-only ones. Costs one round trip.
    public func collections(by deadline: Deadline? = nil) throws(SecretServiceError) -> [SecretCollection] {
        try property("Collections", "ao", of: .service, at: Self.path, by: self.deadline(by: deadline)).strings
            .map { path in SecretCollection(path: path, service: self) }
    }

    /// Returns a handle for the collection at a path. Does not check that the collection exists.
    public func collection(at path: String) -> SecretCollection {
        SecretCollection(path: path, service: self)
    }
}

extension SecretService {
    /// Creates a collection. The daemon may prompt the user for a password.
    ///
    /// Daemons create another collection even if one with this label exists, so search for it first. Use a deadline
    /// that leaves the user time to respond; the daemon has ``Configuration/timeout`` to show the prompt. Throws
    /// `.dismissed` if the user declined or no prompt could be shown, `.timedOut` if the user did not respond,
    /// `.invalidArgument` for an empty label.
    public func createCollection(
        label: String,
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> SecretCollection {
        let deadline = self.deadline(by: deadline)
        let properties = Variant.array(
            of: "{sv}",
            [.entry("org.freedesktop.Secret.Collection.Label", .boxed(.string(try Wire.label(label))))]
        )
        let request = try serviceRequest(
            "CreateCollection",
            .tuple(properties, .string("")),
            answer: "(oo)",
            mutates: true
        )
        let answer = try call(request, by: timeBeforePrompt(within: deadline))
        if answer[0].string != "/" { return collection(at: answer[0].string) }
        try requireDisplay(for: "CreateCollection")
        do throws(SecretServiceError) {
            let path = try path(promisedBy: answer[1].string, "CreateCollection on \(Self.path)", by: deadline)
            return collection(at: path)
        } catch {
            throw error.awaitingPerson()
        }
    }

    /// Limits the wait until the daemon returns a prompt to the time of any other call. The user has until `deadline`.
    private func timeBeforePrompt(within deadline: Deadline) -> Deadline { deadline.atMost(configuration.timeout) }
}

/// An object that can be locked: a ``SecretCollection`` or a ``SecretItem``.
public protocol SecretServiceObject: Sendable {
    /// The D-Bus path of the object.
    var path: String { get }

    /// Returns true if nothing can be read or written before the object is unlocked. Costs one round trip.
    func isLocked(by deadline: Deadline?) throws(SecretServiceError) -> Bool
}

extension SecretService {
    /// Unlocks collections or items. Prompts the user if needed.
    ///
    /// Use a deadline that leaves the user time to respond; the daemon has ``Configuration/timeout`` to show the
    /// prompt. Throws `.dismissed` if the user declined or no prompt could be shown, `.timedOut` if the user did not
    /// respond or no prompt appeared, `.locked` if the daemon neither unlocked anything nor offered a prompt.
    public func unlock(
        _ objects: [any SecretServiceObject],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) {
        try setLock("Unlock", objects, by: self.deadline(by: deadline))
    }

    /// Unlocks collections if the daemon needs no prompt for it, as GNOME Keyring for a keyring with an empty password.
    /// Shows nothing: a prompt that the daemon offers is left alone. Costs one round trip.
    ///
    /// - Returns: Whether the daemon has unlocked any of them.
    package func unlockWithoutPrompt(
        _ collections: [SecretCollection],
        by deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        var paths: [String] = []
        for collection in collections { paths.append(try Wire.objectPath(collection.path)) }
        let request = try serviceRequest("Unlock", .tuple(.objectPaths(paths)), answer: "(aoo)", mutates: true)
        let answer = try call(request, by: deadline)
        return answer[0].count > 0
    }

    /// Locks collections.
    ///
    /// Needs no display, though the daemon may ask on its own display whether to save first. Throws `.dismissed` if the
    /// user declined to save, `.timedOut` if the user did not respond, `.noSuchCollection` if there was no collection
    /// to lock.
    public func lock(_ collections: [SecretCollection], by deadline: Deadline? = nil) throws(SecretServiceError) {
        try setLock("Lock", collections, by: self.deadline(by: deadline))
    }

    private func setLock(
        _ member: String,
        _ objects: [any SecretServiceObject],
        by deadline: Deadline
    ) throws(SecretServiceError) {
        guard !objects.isEmpty else { return }
        var paths: [String] = []
        for object in objects {
            paths.append(try Wire.objectPath(object.path))
        }
        let request = try serviceRequest(member, .tuple(.objectPaths(paths)), answer: "(aoo)", mutates: true)
        let answer = try call(request, by: timeBeforePrompt(within: deadline))
        let prompt = answer[1].string
        if prompt != "/" {
            if member == "Lock" {
                try completeLock(prompt: prompt, by: deadline)
            } else {
                try requireDisplay(for: member)
                do throws(SecretServiceError) {
                    _ = try complete(prompt: prompt, by: deadline)
                } catch {
                    throw error.awaitingPerson()
                }
            }
        } else if answer[0].count == 0 {
            let code: SecretServiceError.Code = member == "Lock" ? .noSuchCollection : .locked
            throw SecretServiceError(
                code: code,
                message: "\(member) on \(paths.joined(separator: ", ")): the keyring daemon did nothing. "
                    + "Check that the object exists."
            )
        }
    }

    /// Runs the prompt that KeePassXC returns for each `Lock`. The prompt shows nothing and completes without the user,
    /// unless there are unsaved changes. Then the daemon asks on its own display, independent of the caller's.
    private func completeLock(prompt: String, by deadline: Deadline) throws(SecretServiceError) {
        do throws(SecretServiceError) {
            _ = try complete(prompt: prompt, by: deadline)
        } catch {
            guard error.code == .timedOut else { throw error }
            throw SecretServiceError(
                code: .timedOut,
                message:
                    "Lock: the keyring daemon asks on its own display whether to save first, and the prompt was not answered "
                    + "in time. Answer it there.",
                outcomeIsUnknown: true
            ).awaitingPerson()
        }
    }
}
