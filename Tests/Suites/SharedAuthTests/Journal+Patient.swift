import SecretService
import TestSupport

@testable import SharedAuth

extension Journal {
    /// Reads the choice with a long deadline, without the moves, whose nonces differ each time.
    func read() throws(AuthError) -> GroupChoice {
        var choice = try read(by: .patient)
        choice.moves = []
        return choice
    }

    /// Changes the choice with a long deadline, as another process does.
    @discardableResult
    func change(_ change: (inout GroupChoice) -> Void) throws(AuthError) -> GroupChoice {
        try self.change(by: .patient, change)
    }

    /// Reads the keepers with a long deadline.
    func keepers(of slot: Slot) throws(AuthError) -> [KeyringDaemon.Kind] { try keepers(of: slot, by: .patient) }
}
