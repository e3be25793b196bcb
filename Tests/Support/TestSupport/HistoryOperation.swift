/// One operation of a history: the action on a register, its result, and its time.
package struct HistoryOperation: Codable, Sendable, Hashable {
    /// The effect of an operation on the one value of its register; nil is an empty register.
    package enum Action: Codable, Sendable, Hashable {
        /// Read this value.
        case read(String?)
        /// Replaced any value with this one.
        case write(String?)
        /// Replaced the first value with the second.
        case swap(String?, String)
        /// Left the register unchanged, because its value was not this one.
        case refusal(String?)
        /// Replaced a value of the same owner with this one.
        case renewal(String)
    }

    /// The process of the operation; each process runs one at a time.
    package var process: Int
    package var register: String
    package var action: Action
    /// Monotonic nanoseconds, comparable between processes of one machine.
    package var began: UInt64
    /// Nil if it is unknown whether the operation happened.
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
    /// Returns the value of a slot that holds this token of a user.
    package static func value(_ owner: String, _ token: String) -> String { "\(owner)/\(token)" }

    /// Returns the owner of a value: the text before its first slash.
    package static func owner(of value: String?) -> Substring? {
        value?.prefix { $0 != "/" }
    }
}
