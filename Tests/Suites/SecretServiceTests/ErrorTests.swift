import SecretService
import TestSupport
import Testing

struct ErrorTests {
    @Test("Errors are matched by code and described without secrets")
    func errorDescriptions() {
        let error = SecretServiceError(code: .locked, message: "GetSecret on /x: it is locked.", outcomeIsUnknown: true)
        do {
            throw error
        } catch SecretServiceError.Code.dismissed {
            Issue.record("the wrong code matched")
        } catch SecretServiceError.Code.locked {
            #expect("\(error)".hasPrefix("locked: GetSecret on /x: it is locked."))
            #expect("\(error)".contains("unknown"))
        } catch {
            Issue.record("no code matched")
        }
    }

    @Test("The remaining time of a deadline decreases and is never negative")
    func deadlinesRunDown() {
        #expect(Deadline.after(.seconds(-5)).remaining == .zero)
        #expect(Deadline.after(.seconds(-5)).isPast)
        let later = Deadline.after(.seconds(60))
        #expect(!later.isPast)
        #expect(later.remaining > .seconds(50))
        #expect(later.remaining <= .seconds(60))
    }
}

struct SandboxTests {
    @Test(
        "An error that a missing permission may cause names the permission",
        arguments: [
            (
                Sandbox.flatpak(appID: "org.example.App"), "--talk-name=org.freedesktop.secrets",
                "--own-name=org.sharedauth.*"
            ),
            (.snap(name: "mail"), "snap connect mail:password-manager-service", "no interface of snapd"),
        ]
    )
    func missingPermission(_ sandbox: Sandbox, _ talk: String, _ own: String) throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        var configuration = SecretService.Configuration(
            busAddress: .address(keyring.busAddress),
            timeout: .seconds(10)
        )
        configuration.sandbox = sandbox
        let service = SecretService(configuration)
        for error in [
            try #require(throws: SecretServiceError.self) { _ = try service.daemon() },
            try #require(throws: SecretServiceError.self) { _ = try service.defaultCollection() },
        ] {
            #expect(error.code == .noDaemon)
            #expect(error.message.contains(talk))
        }
        let denied = try #require(throws: SecretServiceError.self) {
            _ = try service.acquireName("denied.example.Name")
        }
        #expect(denied.code == .denied)
        #expect(denied.message.contains(own))
        configuration.sandbox = nil
        let outside = try #require(throws: SecretServiceError.self) { _ = try SecretService(configuration).daemon() }
        #expect(!outside.message.contains("permission"))
    }

    @Test("In a Flatpak, a process ID from outside yields no program name")
    func processIDInFlatpak() throws {
        let keyring = try PrivateKeyring()
        var configuration = SecretService.Configuration(
            busAddress: .address(keyring.busAddress),
            timeout: .seconds(10)
        )
        #expect(try SecretService(configuration).daemon().executableName == "gnome-keyring-daemon")
        configuration.sandbox = .flatpak(appID: nil)
        #expect(try SecretService(configuration).daemon().executableName == nil)
    }
}
