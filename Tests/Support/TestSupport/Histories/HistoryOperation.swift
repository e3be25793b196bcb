/// One operation of a history: the action on a register, its result, and its time.
package struct HistoryOperation: Codable, Sendable, Hashable {
    /// The effect of an operation on the one value of its register; nil is an empty register.
    package enum Action: Codable, Sendable, Hashable {
        /// Read this value.
        case read(String?)
        /// Replaced any value with this one.
        case write(String?)
        /// Replaced the first value with the second.
        case swap(String?, String?)
        /// Left the register unchanged, because its value was not this one.
        case refusal(String?)
        /// Found this token as that of a slot's current account, or with nil none.
        case current(String?)
        /// Found this token among those of a slot.
        case presence(of: String)
        /// Found no token of this account in a slot.
        case absence(ofAccount: String)
        /// Found a user of another tenant than this one.
        case mismatch(tenant: String?)
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

extension HistoryOperation.Action {
    /// Returns the value of an atomic register afterwards; nil if it would not have returned this result.
    func apply(to value: String?) -> String?? {
        switch self {
        case .read(let seen): seen == value ? .some(value) : nil
        case .write(let new): .some(new)
        case .swap(let old, let new): old == value ? .some(new) : nil
        case .refusal(let old): old == value ? nil : .some(value)
        case .current(let token): SlotText.current(of: value) == token ? .some(value) : nil
        case .presence(let token): SlotText.tokens(of: value).contains(token) ? .some(value) : nil
        case .absence(let account):
            SlotText.tokens(of: value).contains { SessionToken($0).account == account } ? nil : .some(value)
        case .mismatch(let tenant):
            SlotText.current(of: value).map { SessionToken($0).tenant != tenant } == true ? .some(value) : nil
        }
    }

    /// Indicates whether the operation only looked.
    var isLook: Bool {
        switch self {
        case .read, .refusal, .current, .presence, .absence, .mismatch: true
        case .swap(let old, let new): old == new
        case .write: false
        }
    }
}
