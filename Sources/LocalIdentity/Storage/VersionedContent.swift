internal import FoundationEssentials
internal import SharedAuth

/// What a record's payload holds: JSON, under the number of its format.
struct VersionedContent<Content: Codable>: Codable {
    let version: Int
    let content: Content

    private static var present: Int { 1 }

    private struct Head: Decodable {
        let version: Int
    }

    /// Writes content in the present format.
    static func encode(_ content: Content) throws(AuthError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(VersionedContent(version: present, content: content)))
        } catch {
            throw AuthError(.internalError, "The accounts could not be written as JSON.")
        }
    }

    /// Reads what is stored under `key`; nil when nothing is.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`.
    static func decode(_ stored: StoredRecord, of key: RecordKey) throws(AuthError) -> Content? {
        switch stored {
        case .none: return nil
        case .damaged(let reason): throw .damaged(reason, key)
        case .newer(let reason): throw .newer(reason, key)
        case .whole(let record):
            // The decoder's own message is left out: it may quote the content.
            let payload = Data(record.payload)
            guard let head = try? JSONDecoder().decode(Head.self, from: payload), head.version >= 1 else {
                throw .damaged("it names no version", key)
            }
            guard head.version == present else { throw .newer("its version is \(head.version)", key) }
            guard let whole = try? JSONDecoder().decode(VersionedContent.self, from: payload) else {
                throw .damaged("parts are missing or of the wrong kind", key)
            }
            return whole.content
        }
    }
}

extension AuthError {
    /// What an app gets when the store failed on a record of the identity provider.
    init(_ error: RecordStoreError, of key: RecordKey) {
        let usual: String? =
            switch error.authErrorCode {
            case .recordDamaged: Self.damageRemedy(key)
            case .recordVersionUnsupported: Self.versionRemedy
            default: error.usualRemedy
            }
        self.init(error.authErrorCode, "On \(key): \(error.message)", remedy: error.remedy ?? usual, underlying: error)
    }

    static func damaged(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(
            .recordDamaged,
            "The keyring holds something damaged in place of \(key): \(reason).",
            remedy: damageRemedy(key)
        )
    }

    /// A record in whose place there is something empty.
    static func empty(_ key: RecordKey) -> AuthError {
        AuthError(
            .recordDamaged,
            "The keyring holds something empty in place of \(key).",
            remedy: "Restore it from a backup, or sign in or create an account: that replaces it."
        )
    }

    static func newer(_ reason: String, _ key: RecordKey) -> AuthError {
        AuthError(
            .recordVersionUnsupported,
            "A newer version of SharedAuth wrote \(key): \(reason).",
            remedy: versionRemedy
        )
    }

    private static func damageRemedy(_ key: RecordKey) -> String {
        "It was left as it is: restore it from a backup, or run 'sharedauth set-aside \(key.kind) --project \(key.project)' to "
            + "go on without it."
    }

    private static var versionRemedy: String { "It was left as it is: update this app." }
}
