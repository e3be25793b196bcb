public import DesktopSupport

extension Fleet {
    /// The versions of the server's schema that this release works with; ``schema`` has the last one.
    public static var schemaVersions: ClosedRange<Int> { SchemaCheck.versions }

    /// The SQL text with which an administrator upgrades a schema of the version before to ``schema``. It contains its
    /// transaction.
    public static var schemaUpgrade: String { PostgresServer.schemaUpgrade }

    /// Returns the version of the server's schema.
    ///
    /// - Throws: `notEnrolled`; `schemaVersion` if it is not one of ``schemaVersions``; another error of the server.
    public func schemaVersion(by deadline: Deadline) throws(FleetError) -> Int {
        try withMembership(by: deadline) { $0.session.schemaVersion }
    }
}
