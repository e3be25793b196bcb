internal import ArgumentParser
internal import CommandLineSupport
internal import SecretService

extension Examination {
    /// What to do about an error of the Secret Service.
    static func remedy(for error: SecretServiceError) -> String {
        switch error.code {
        case .noSessionBus, .busClosed:
            return "Run in a desktop session, or under dbus-run-session."
        case .noProvider, .denied:
            let start = "Install and start GNOME Keyring, KWallet or KeePassXC."
            return Sandbox.current.map { "\(start) \($0.missing(.secrets))" } ?? start
        case .noDefaultCollection, .noSuchCollection:
            return "Create a keyring in the keyring application and make it the default."
        case .locked, .dismissed:
            return "Unlock the keyring in the keyring application, or log in with a password."
        case .timedOut:
            return "Restart the provider, which hangs."
        default:
            return "Look at the log of the provider."
        }
    }

    /// The status with which the tool ends because of an error of the Secret Service.
    static func status(for error: SecretServiceError) -> ExitCode {
        switch error.code {
        case .noSessionBus, .busClosed, .noProvider, .noDefaultCollection, .noSuchCollection: .unavailable
        case .locked, .timedOut: .tryAgain
        case .denied, .dismissed: .refused
        default: .software
        }
    }
}
