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
        /// The smallest part of the history that shows the contradiction; it begins with the value before.
        package internal(set) var history: [HistoryOperation] = []
        /// The operation, the values and the smallest history.
        package var description: String {
            let values = possibleValues.map { $0 ?? "nothing" }
            return
                (["\(operation) contradicts the rest; the register may have held \(values):"]
                + history.map { "\($0)" }).joined(separator: "\n    ")
        }
    }

    /// One possible course of all operations so far.
    private struct Possibility: Hashable {
        var value: String?
        /// The pending operations that have already taken effect, as bits by place.
        var done: UInt64 = 0
    }

    /// A moment at which no operation was pending, and the only possible value of the register then.
    private struct Rest {
        var value: String?
        var time: UInt64 = 0
    }

    private var possibilities: Set<Possibility> = [Possibility()]
    private var rest = Rest()
    /// The pending operations.
    private var underWay: [HistoryOperation?] = Array(repeating: nil, count: 64)

    /// Returns the first contradiction in each register's history.
    package static func contradictions(in operations: [HistoryOperation]) -> [Contradiction] {
        Dictionary(grouping: operations, by: \.register).values.compactMap { history in
            var checker = LinearizabilityChecker()
            guard var contradiction = checker.check(history) else { return nil }
            contradiction.history = smallest(of: history, to: contradiction.operation, since: checker.rest)
            return contradiction
        }
    }

    /// Returns the part of a register's history since a moment at which its value was certain, without the looks that
    /// the contradiction does not need.
    private static func smallest(
        of history: [HistoryOperation],
        to last: HistoryOperation,
        since rest: Rest
    ) -> [HistoryOperation] {
        let start = HistoryOperation(
            process: last.process,
            register: last.register,
            action: .write(rest.value),
            began: rest.time,
            ended: rest.time
        )
        let end = last.ended ?? .max
        var part = [start] + history.filter { $0.began > rest.time && $0.began <= end }.sorted { $0.began < $1.began }
        for look in part where look.action.isLook {
            let fewer = part.filter { $0 != look }
            var checker = LinearizabilityChecker()
            if checker.check(fewer) != nil { part = fewer }
        }
        return part
    }

    private mutating func check(_ history: [HistoryOperation]) -> Contradiction? {
        let moments = history.indices.flatMap { index in
            [(history[index].began, 0, index)] + (history[index].ended.map { [($0, 1, index)] } ?? [])
        }
        var places: [Int: Int] = [:]
        // An operation that begins at the moment in which another ends may still precede it.
        for (time, isEnd, index) in moments.sorted(by: <) {
            if isEnd == 0 {
                guard let place = underWay.firstIndex(where: { $0 == nil }) else {
                    return contradiction(history[index])
                }
                underWay[place] = history[index]
                places[index] = place
                if history[index].action.isLook { possibilities = Set(possibilities.map(looking)) }
            } else if let place = places[index] {
                let before = possibilities
                possibilities = settle(place)
                underWay[place] = nil
                if possibilities.isEmpty {
                    possibilities = before
                    return contradiction(history[index])
                }
                if possibilities.count == 1, let only = possibilities.first, underWay.allSatisfy({ $0 == nil }) {
                    rest = Rest(value: only.value, time: time)
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
                let next = looking(Possibility(value: value, done: possibility.done | (1 << UInt64(other))))
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return settled
    }

    /// Returns a possibility in which each pending look that may have happened by now has: that excludes nothing.
    private func looking(_ possibility: Possibility) -> Possibility {
        var possibility = possibility
        for (place, operation) in underWay.enumerated() {
            guard let operation, operation.action.isLook, operation.action.apply(to: possibility.value) != nil else {
                continue
            }
            possibility.done |= 1 << UInt64(place)
        }
        return possibility
    }

    private func contradiction(_ operation: HistoryOperation) -> Contradiction {
        Contradiction(operation: operation, possibleValues: Array(Set(possibilities.map(\.value))))
    }
}
