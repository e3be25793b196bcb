/// One operation of a history: the call to a register, its result, and its times.
package struct HistoryOperation: Codable, Sendable, Hashable {
    /// The effect of an operation on the value of its register; nil is an empty register.
    package enum Action: Codable, Sendable, Hashable {
        /// Saw this value.
        case read(String?)
        /// Put this value there, whatever was there.
        case write(String?)
        /// Put a value there because the other one was.
        case swap(String?, String)
        /// Left the register alone, because its value was not this one.
        case refusal(String?)
        /// Put this value there, if the one that was there is of the same owner.
        case renewal(String)
    }

    /// Which of the processes did it; each does one at a time.
    package var process: Int
    package var register: String
    package var action: Action
    /// Monotonic nanoseconds, comparable between processes of one machine.
    package var began: UInt64
    /// Nil if it is unknown whether the operation took effect.
    package var ended: UInt64?

    package init(process: Int, register: String, action: Action, began: UInt64, ended: UInt64?) {
        self.process = process
        self.register = register
        self.action = action
        self.began = began
        self.ended = ended
    }
}

extension HistoryOperation {
    /// The value that a user's token makes of a slot.
    package static func value(_ owner: String, _ token: String) -> String { "\(owner)/\(token)" }

    /// The owner of a value: the text before its first slash.
    package static func owner(of value: String?) -> Substring? {
        value?.prefix { $0 != "/" }
    }
}
