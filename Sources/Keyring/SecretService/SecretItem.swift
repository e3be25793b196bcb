internal import DesktopSupport

/// A handle for an item, which may or may not exist.
///
/// Its methods block and throw as those of ``SecretService`` do. They also throw `.noSuchItem` if the item does not
/// exist, and `.locked` while it is locked. Each costs one round trip. Handles are equal if they have the same path and
/// the same service object.
public struct SecretItem: SecretServiceObject, Hashable {
    /// The D-Bus path of the item.
    public let path: String
    let service: SecretService

    /// Returns the attributes by which the item is found, including those that the daemon added.
    ///
    /// Attributes are not secret. For an item that has been locked since the daemon started, GNOME Keyring returns only
    /// hashes.
    public func attributes(by deadline: Deadline? = nil) throws(SecretServiceError) -> [String: String] {
        try property("Attributes", "a{ss}", by: deadline).stringDictionary
    }

    /// Returns the name that a keyring application shows.
    public func label(by deadline: Deadline? = nil) throws(SecretServiceError) -> String {
        try property("Label", "s", by: deadline).string
    }

    /// Returns true if the secret cannot be read before the item is unlocked.
    public func isLocked(by deadline: Deadline? = nil) throws(SecretServiceError) -> Bool {
        try property("Locked", "b", by: deadline).bool
    }

    /// Returns the time of the item's last change, in seconds since 1970. Some daemons always return 0.
    public func modified(by deadline: Deadline? = nil) throws(SecretServiceError) -> UInt64 {
        try property("Modified", "t", by: deadline).uint64
    }

    private func property(
        _ name: String,
        _ type: String,
        by deadline: Deadline?
    ) throws(SecretServiceError) -> Variant {
        try service.property(name, type, of: .item, at: path, by: service.deadline(by: deadline))
    }

    /// Returns true if both have the same path and the same service object.
    public static func == (left: SecretItem, right: SecretItem) -> Bool {
        left.path == right.path && left.service === right.service
    }

    /// Hashes the path and the identity of the service.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(ObjectIdentifier(service))
    }
}

extension SecretItem {
    /// Reads the secret.
    public func secret(by deadline: Deadline? = nil) throws(SecretServiceError) -> Secret {
        let deadline = service.deadline(by: deadline)
        let answer = try service.callInSession(by: deadline) { session throws(SecretServiceError) in
            try secretRequest(in: session)
        }
        return try service.secret(from: answer[0], of: path, by: deadline)
    }

    /// Requests the secret. Returns nil if a session would have to be opened first, or if the program that opened the
    /// session has ended.
    package func askForSecret(by deadline: Deadline) throws(SecretServiceError) -> SentRequest<Secret>? {
        let connection = try service.connection(by: deadline)
        guard let session = connection.session.present, connection.isAcquainted(with: nil) else { return nil }
        var request = try secretRequest(in: session)
        request.isInSession = true
        let pending = try connection.begin(request, by: deadline)
        return SentRequest { (deadline) throws(SecretServiceError) in
            do throws(SecretServiceError) {
                let answer = try connection.wait(for: pending, by: deadline)
                return try service.secret(from: answer[0], of: path, by: deadline)
            } catch {
                let isRepeated = session.mayBeLost(after: error, isNew: false) || error.code == .noDaemon
                guard isRepeated else { throw error }
                connection.session.discard { present in present === session }
                return try secret(by: deadline)
            }
        }
    }

    /// Creates a request for the secret.
    func secretRequest(in session: Session) throws(SecretServiceError) -> BusRequest {
        try service.request(
            "GetSecret",
            .tuple(.objectPath(session.path)),
            of: .item,
            at: path,
            answer: "(\(Secret.wireType))"
        )
    }

    /// Replaces the secret, and leaves the rest as it is. Throws `.invalidArgument` for a secret of more than 16 MiB.
    ///
    /// GNOME Keyring does not report this change to watches. If other processes watch the item, create it again with
    /// `replacing` instead.
    public func setSecret(_ secret: Secret, by deadline: Deadline? = nil) throws(SecretServiceError) {
        let type = try secret.sendableType(nil)
        _ = try service.callInSession(by: service.deadline(by: deadline)) { session throws(SecretServiceError) in
            let arguments = Variant.tuple(secret.wire(in: session, contentType: type))
            return try service.request("SetSecret", arguments, of: .item, at: path, answer: "()", mutates: true)
        }
    }

    /// Deletes the item. Runs the prompt that some daemons return, and throws `.dismissed` if the user declines.
    public func delete(by deadline: Deadline? = nil) throws(SecretServiceError) {
        let deadline = service.deadline(by: deadline)
        let request = try service.request("Delete", nil, of: .item, at: path, answer: "(o)", mutates: true)
        let prompt = try service.call(request, by: deadline)[0].string
        if prompt != "/" {
            _ = try service.complete(prompt: prompt, by: deadline)
        }
    }
}

extension SecretItem {
    /// The collection that contains the item, derived from the item's path.
    public var collection: SecretCollection {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return service.collection(at: String(path[..<end]))
    }
}
