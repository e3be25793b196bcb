/// A change of a list at one place.
struct ListChange {
    /// The place in the former list.
    let position: Int
    /// The number of elements that are removed there.
    var removed = 0
    /// The indices in the new list of the elements that are added there.
    var added: Range<Int>

    /// Returns the fewest changes that make the former list the new one, in order. Applied from the last to the first,
    /// each leaves the places of the others as they are.
    static func all<Element: Hashable>(from former: [Element], to new: [Element]) -> [ListChange] {
        var (removals, insertions) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: former) {
            switch change {
            case .remove(let offset, _, _): removals.insert(offset)
            case .insert(let offset, _, _): insertions.insert(offset)
            }
        }
        var changes: [ListChange] = []
        var (old, next) = (0, 0)
        while old < former.count || next < new.count {
            var change = ListChange(position: old, added: next..<next)
            while removals.contains(old) { (change.removed, old) = (change.removed + 1, old + 1) }
            while insertions.contains(next) { next += 1 }
            change.added = change.added.lowerBound..<next
            if change.removed > 0 || !change.added.isEmpty { changes.append(change) }
            // The element that both have.
            (old, next) = (old + 1, next + 1)
        }
        return changes
    }
}
