internal import SecretService

/// What a look for a record found.
struct Finding {
    /// An item in the record's place, and what it holds.
    struct Piece {
        let item: SecretItem
        let secret: Secret
    }

    /// The record, or why there is none.
    let stored: StoredRecord
    /// The item that holds `stored`.
    let item: SecretItem?
    /// What else is in the record's place: older copies, damaged ones.
    let rest: [Piece]
    /// Everything that would have to go before the record can be written anew, if it is damaged.
    let damaged: [Piece]

    static let nothing = Finding(stored: .none, item: nil, rest: [], damaged: [])

    /// Whether a whole record has company.
    var needsHealing: Bool { !rest.isEmpty }

    /// The items of the company.
    var restItems: Set<SecretItem> { Set(rest.map(\.item)) }
}
