import SecretService
import TestSupport

@testable import SharedAuth

extension Journal {
    /// Reads the choice where no time is short.
    func read() throws(AuthError) -> GroupChoice { try read(by: .patient) }

    /// Reads the keepers where no time is short.
    func keepers(of slot: Slot) throws(AuthError) -> [KeyringDaemon.Kind] { try keepers(of: slot, by: .patient) }
}
