internal import SharedAuth

extension RecordKey {
    /// Where a project's keys are.
    static func identityKeys(of project: String) -> RecordKey { identity("identity-keys", of: project) }

    /// Where a shard of a project's accounts is.
    static func identityAccounts(_ shard: Int, of project: String) -> RecordKey {
        identity("identity-accounts-\(shard < 10 ? "0" : "")\(shard)", of: project)
    }

    /// Accounts belong to every app of the project, whatever its `AuthApp` is called: hence one name for all.
    private static func identity(_ kind: String, of project: String) -> RecordKey {
        RecordKey(scope: .project, project: project, instance: "default", kind: kind)
    }
}
