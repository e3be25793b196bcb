import SecretService
import TestSupport

@testable import SharedAuth

extension Journal {
    /// Reads the choice with a long deadline.
    func read() throws(AuthError) -> GroupChoice { try read(by: .patient) }

    /// Reads the keepers with a long deadline.
    func keepers(of slot: Slot) throws(AuthError) -> [KeyringDaemon.Kind] { try keepers(of: slot, by: .patient) }
}
