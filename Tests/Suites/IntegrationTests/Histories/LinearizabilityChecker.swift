import TestSupport

/// Decides whether what several processes saw of one register can be explained by one order of atomic operations, in
/// which every operation stands somewhere between its beginning and its end.
///
/// It goes through the beginnings and ends in the order of time, with the set of all states the register may be in. An
/// operation is given its place at its end at the latest, together with others under way that may have to come before;
/// states that were reached already are not searched again.
struct LinearizabilityChecker {
    /// An operation that nothing explains, and what the register may have held by then.
    struct Contradiction: CustomStringConvertible {
        let operation: HistoryOperation
        let possibleValues: [String?]
        var description: String {
            "\(operation) contradicts the rest; the register may have held \(possibleValues.map { $0 ?? "nothing" })"
        }
    }

    /// One way in which everything so far may have happened.
    private struct Possibility: Hashable {
        var value: String?
        /// The operations under way that have happened already, by place.
        var done: UInt64 = 0
    }

    private var possibilities: Set<Possibility> = [Possibility()]
    /// The operations under way.
    private var underWay: [HistoryOperation?] = Array(repeating: nil, count: 64)

    /// The first contradiction in each register's history.
    static func contradictions(in operations: [HistoryOperation]) -> [Contradiction] {
        Dictionary(grouping: operations, by: \.register).values.compactMap { history in
            var checker = LinearizabilityChecker()
            return checker.check(history)
        }
    }

    private mutating func check(_ history: [HistoryOperation]) -> Contradiction? {
        let moments = history.indices.flatMap { index in
            [(history[index].began, 0, index)] + (history[index].ended.map { [($0, 1, index)] } ?? [])
        }
        var places: [Int: Int] = [:]
        // What begins in the moment in which another ends may still come before it.
        for (_, isEnd, index) in moments.sorted(by: <) {
            if isEnd == 0 {
                guard let place = underWay.firstIndex(where: { $0 == nil }) else {
                    return contradiction(history[index])
                }
                underWay[place] = history[index]
                places[index] = place
            } else if let place = places[index] {
                let before = possibilities
                possibilities = settle(place)
                underWay[place] = nil
                if possibilities.isEmpty {
                    possibilities = before
                    return contradiction(history[index])
                }
            }
        }
        return nil
    }

    /// Every possibility in which the operation at this place has happened.
    private func settle(_ place: Int) -> Set<Possibility> {
        let bit: UInt64 = 1 << UInt64(place)
        var settled: Set<Possibility> = []
        var seen = possibilities
        var open = Array(possibilities)
        while var possibility = open.popLast() {
            if possibility.done & bit != 0 {
                possibility.done &= ~bit
                settled.insert(possibility)
                continue
            }
            for (other, operation) in underWay.enumerated() {
                guard let operation, possibility.done & (1 << UInt64(other)) == 0,
                    let value = operation.action.apply(to: possibility.value)
                else { continue }
                let next = Possibility(value: value, done: possibility.done | (1 << UInt64(other)))
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return settled
    }

    private func contradiction(_ operation: HistoryOperation) -> Contradiction {
        Contradiction(operation: operation, possibleValues: Array(Set(possibilities.map(\.value))))
    }
}

extension HistoryOperation.Action {
    /// What an atomic register holds afterwards; nil if it would not have answered so.
    fileprivate func apply(to value: String?) -> String?? {
        switch self {
        case .read(let seen): seen == value ? .some(value) : nil
        case .write(let new): .some(new)
        case .swap(let old, let new): old == value ? .some(new) : nil
        case .refusal(let old): old == value ? nil : .some(value)
        case .renewal(let new):
            .some(HistoryOperation.owner(of: new) == HistoryOperation.owner(of: value) ? new : value)
        }
    }
}
