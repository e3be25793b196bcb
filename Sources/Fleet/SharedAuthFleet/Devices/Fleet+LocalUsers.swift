public import DesktopSupport
public import SharedAuth
internal import SharedAuthRecords

extension Fleet {
    /// A user's session at the identity provider that issued it.
    public struct Session: Sendable, Hashable {
        /// The access group; nil if the session was read from the server, which does not know groups.
        public let accessGroup: String?
        /// The issuer of the account; nil if an app's own identity provider without a name issued it.
        public let issuer: String?
        /// The user.
        public let uid: String
        /// The tokens, by which the identity provider ends the session.
        public let tokens: UserTokens
    }

    /// A choice about the users who are signed in on this device alone, when it joins a fleet.
    @frozen public enum LocalUsers: String, Sendable, CaseIterable {
        /// They are shared; in a group in which the fleet has users, those stay, and these are signed out.
        case share
        /// They are shared; in a group in which the fleet has users, those are signed out on all devices.
        case replace
        /// They are signed out.
        case signOut = "sign-out"
    }

    /// Returns the sessions in a project's access groups that are signed in on this device alone, outside the fleet.
    ///
    /// - Throws: `failed` if the local store cannot be read.
    public func localSessions(ofProject project: String, by deadline: Deadline) throws(FleetError) -> [Session] {
        try localRecords(ofProject: project, by: deadline).flatMap { Session.all(in: $0.payload, of: $0.key) }
    }

    /// Shares or signs out the users who are signed in on this device alone, and removes their local records.
    ///
    /// - Returns: The sessions of the users who are signed out. End them at their issuers.
    /// - Throws: `notEnrolled`; an error of the server or of the local store. Groups that were not reached yet keep
    ///   their local records.
    public func settle(
        _ users: LocalUsers,
        ofProject project: String,
        by deadline: Deadline
    ) throws(FleetError) -> [Session] {
        guard try device(by: deadline) != nil else { throw .notEnrolled }
        let store = FleetRecordStore(records, server: makeServer)
        var ended: [Session] = []
        for local in try localRecords(ofProject: project, by: deadline) {
            var (lost, kept): ([UInt8]?, [UInt8]?)
            try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
                _ = try store.update(local.key, by: deadline) { stored in
                    var present: [UInt8]?
                    if case .whole(let record) = stored { present = record.payload }
                    if users == .replace || (users == .share && present == nil) {
                        (lost, kept) = (present, local.payload)
                        return .write(local.payload)
                    }
                    (lost, kept) = (local.payload, present)
                    return .keep
                }
                _ = try records.store.update(local.key, by: deadline) { stored in
                    if case .whole(let record) = stored, record.payload == local.payload { .delete } else { .keep }
                }
            }
            // Some issuers end all sessions that a user has with the client.
            let remaining = Session.all(in: kept)
            ended += Session.all(in: lost, of: local.key).filter { session in
                !remaining.contains { $0.uid == session.uid && $0.issuer == session.issuer }
            }
        }
        return ended
    }

    /// Makes this device forget the fleet, and keeps its users signed in on this device alone.
    ///
    /// The fleet's other devices have the same sessions. At an issuer that replaces refresh tokens, a session ends when
    /// both sides have refreshed it: sign out on the others.
    /// - Throws: The errors of ``leave(by:)``; then the device is still in the fleet.
    public func leaveKeepingUsers(by deadline: Deadline) throws(FleetError) {
        guard let device = try device(by: deadline) else { throw .notEnrolled }
        try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            for key in device.copies.compactMap({ RecordKey(name: $0) }) {
                guard let content = try records.copy(of: key, by: deadline).state.shown else { continue }
                _ = try records.store.update(key, by: deadline) { _ in .write(content.payload) }
            }
        }
        try leave(by: deadline)
    }

    /// Returns the users' records in access groups that the local store has outside the fleet: those with tokens.
    private func localRecords(
        ofProject project: String,
        by deadline: Deadline
    ) throws(FleetError) -> [(key: RecordKey, payload: [UInt8])] {
        let listed = try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            try records.store.listRecords(ofProject: project, instance: nil, kind: "user", by: deadline)
        }
        return listed.compactMap { entry in
            guard let key = entry.key, case .group = key.scope, case .whole(let record) = entry.stored,
                !Session.all(in: record.payload).isEmpty
            else { return nil }
            return (key, record.payload)
        }
    }
}

extension Fleet.Session {
    /// Returns the sessions in a payload whose tokens it has; none if it is not a user record.
    static func all(in payload: [UInt8]?, of key: RecordKey? = nil) -> [Fleet.Session] {
        guard let payload, let record = try? UserRecord(decoding: payload) else { return [] }
        var group: String?
        if case .group(let name) = key?.scope { group = name }
        return record.accounts.compactMap { account in
            if account.tokens.idToken == nil, account.tokens.refreshToken == nil, account.tokens.accessTokens.isEmpty {
                return nil
            }
            return Fleet.Session(
                accessGroup: group,
                issuer: account.id.issuer,
                uid: account.uid,
                tokens: account.tokens
            )
        }
    }
}
