/// Checks whether the results that several processes saw of one register can be explained by one order of atomic
/// operations, in which each operation happens between its beginning and its end.
///
/// Processes the beginnings and ends in order of time, with the set of all possible states of the register. An
/// operation takes effect at its end at the latest, together with pending operations that may have to precede it.
/// States that were already reached are not searched again.
package struct LinearizabilityChecker {
    /// An operation that no order explains, and the possible values of the register at its end.
    package struct Contradiction: CustomStringConvertible {
        /// The operation.
        package let operation: HistoryOperation
        /// The values of which the register may have held one.
        package let possibleValues: [String?]
        /// The operation and the values.
        package var description: String {
            "\(operation) contradicts the rest; the register may have held \(possibleValues.map { $0 ?? "nothing" })"
        }
    }

    /// One possible course of all operations so far.
    private struct Possibility: Hashable {
        var value: String?
        /// The pending operations that have already taken effect, as bits by place.
        var done: UInt64 = 0
    }

    private var possibilities: Set<Possibility> = [Possibility()]
    /// The pending operations.
    private var underWay: [HistoryOperation?] = Array(repeating: nil, count: 64)

    /// Returns the first contradiction in each register's history.
    package static func contradictions(in operations: [HistoryOperation]) -> [Contradiction] {
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
        // An operation that begins at the moment in which another ends may still precede it.
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

    /// Returns every possibility in which the operation at this place has taken effect.
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
    /// Returns the value of an atomic register afterwards; nil if it would not have returned this result.
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
