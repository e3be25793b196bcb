import TestSupport

@testable import SharedAuth

extension TestApp.World {
    /// Another app of the same project, with a choice of group of its own.
    ///
    /// Without a group it has the app id of the app under test, and so its own slot.
    func peer(_ group: String?, observesOtherProcesses: Bool = false) throws -> TestApp {
        var other = self
        other.state += "-peer"
        let peer = try TestApp(
            other,
            appID: group == nil ? "com.example.Mail" : "com.example.Peer",
            observesOtherProcesses: observesOtherProcesses
        )
        try peer.auth.useUserAccessGroup(group)
        _ = peer.announcements()
        return peer
    }

    /// Puts a user where another process would.
    func put(_ uid: String, _ token: String = "1", into group: String?, tenantID: String? = nil) async throws {
        let peer = try peer(group)
        if let tenantID { peer.auth.tenantID = tenantID }
        try await peer.signIn(uid, token, tenantID: tenantID)
    }
}
