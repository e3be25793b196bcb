import LocalIdentity
import SharedAuth

// The code of the article "Access Groups and Migration".

enum AccessGroupExamples {
    static func option() throws {
        // example
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            accessGroup: "group.com.example.office",
            identityProvider: .local
        )
        options.ownUserPolicy = .migrate
        try AuthApp.configure(options)
        // end of example
    }

    static func steps(_ auth: Auth, group: String) async throws {
        // example
        if let other = try auth.getStoredUser(forAccessGroup: group) {
            print("The group has a user already: \(other.uid)")
        } else if let user = auth.currentUser {
            try auth.useUserAccessGroup(group)
            try await auth.updateCurrentUser(user)
        }
        // end of example
    }

    static func oneStep(_ auth: Auth, group: String) async throws {
        // example
        try await auth.migrateCurrentUser(toAccessGroup: group)
        // end of example
    }

    static func manyApps(_ project: String) throws {
        // example
        let migration = try UserMigration(from: nil, to: "group.com.example.office", project: project)
        for step in try migration.plan(for: .all) {
            for outcome in migration.perform(step) {
                print(outcome.appID ?? "no known app", outcome.uid ?? "no user", outcome.kind)
            }
        }
        // end of example
    }
}
