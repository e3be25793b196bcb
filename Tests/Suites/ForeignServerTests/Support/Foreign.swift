import BrowserFlow
import Foundation
import OpenIDConnect
import SharedAuth
import TestSupport
import Testing

/// An OpenID provider from another project. `Tests/Scripts/foreign-servers` installs and starts them.
enum Foreign: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case nanoidp
    case glewlwyd
    case mock

    var testDescription: String { rawValue }

    /// Returns the issuer URL. Cancels the test if the server does not run.
    func issuerURL() throws -> String {
        if let url = ProcessInfo.processInfo.environment["FOREIGN_\(rawValue.uppercased())"] { return url }
        let title = Test.current?.displayName ?? ""
        print("Test \"\(title)\" is not run on \(rawValue): it does not run. Tests/Scripts/foreign-servers starts it.")
        try Test.cancel("\(rawValue) does not run")
    }

    /// Returns a client that is registered with the provider.
    func client() throws -> OpenIDClient {
        var client = OpenIDClient(issuerURL: try issuerURL(), clientID: "desktop")
        // It accepts only clients with a secret, but any secret.
        if self == .mock { client.clientSecret = "any" }
        if self == .glewlwyd { client.scopes = ["openid"] }
        return client
    }

    /// Returns a browser whose user signs in.
    func browser() -> BrowserSettings {
        var settings = BrowserSettings()
        settings.opener = BrowserOpener { url throws(BrowserFlowError) in
            do {
                try await PersonProgram.act("page", rawValue, url.absoluteString)
            } catch {
                throw BrowserFlowError(.browserNotOpened, "\(error)")
            }
        }
        // The path that is registered with the provider.
        settings.redirectPath = "/callback"
        // It also compares the port.
        if self == .glewlwyd {
            settings.redirectPort = ProcessInfo.processInfo.environment["FOREIGN_PORT"].flatMap { UInt16($0) }
        }
        return settings
    }

    /// Returns a sign-in by browser.
    func signIn(_ identityProvider: OpenIDConnect) -> OpenIDSignIn {
        OpenIDSignIn(identityProvider, browser: browser())
    }

    /// Returns how often the server's log contains a request.
    static func requests(_ line: String, at server: Foreign) throws -> Int {
        guard let folder = ProcessInfo.processInfo.environment["FOREIGN_LOGS"] else { return 0 }
        return try String(contentsOfFile: "\(folder)/\(server.rawValue).log", encoding: .utf8)
            .split(separator: "\n").count { $0.contains(line) }
    }
}

/// Runs one test at a time, since requests are counted.
@Suite(.serialized)
enum AtForeignServers {}

/// The user, played by a program.
enum PersonProgram {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs an action of the user and returns the program's output.
    @discardableResult
    static func act(_ words: String...) async throws -> String { try await act(words) }

    /// Runs an action of the user and returns the program's output.
    @discardableResult
    static func act(_ words: [String]) async throws -> String {
        let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Servers/person").path
        let result = try ProcessResult(
            of: [program] + words,
            environment: ProcessInfo.processInfo.environment,
            files: TestDirectory.newPath()
        )
        let said = result.standardOutput + result.standardError
        guard result.status == 0 else { throw Failed(description: "\(words[0]): \(said)") }
        return said
    }
}

/// Creates an app in this process with its users in memory.
func makeApp(_ identityProvider: OpenIDConnect, on store: any RecordStore = InMemoryRecordStore()) throws -> Auth {
    let options = AuthApp.Options(
        appID: "com.example.Mail",
        identityProvider: .openIDConnect(identityProvider),
        store: .custom(store),
        stateDirectory: TestDirectory.newPath(),
        observesOtherProcesses: false
    )
    return Auth.auth(app: try AuthApp.configure(name: "ForeignServerTests-\(UUID())", options))
}

extension User {
    /// Refreshes until the ID token differs, since tokens issued within one second are equal.
    func refreshed(from idToken: String) async throws -> (idToken: String, refreshes: Int) {
        for refreshes in 1... {
            let next = try await getIDToken(forcingRefresh: true)
            if next != idToken { return (next, refreshes) }
        }
        return (idToken, 0)
    }
}
