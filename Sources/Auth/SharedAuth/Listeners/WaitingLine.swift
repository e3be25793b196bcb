/// A first-in, first-out queue of elements, each of which may have an owner.
///
/// Each operation takes amortized constant time, regardless of the number of elements. Removing the elements of an
/// owner takes time linear in their number.
struct WaitingLine<Owner: Hashable, Element> {
    /// The elements and their owners, by number. Numbers increase from the first element to the last.
    private var elements: [UInt64: (element: Element, owner: Owner?)] = [:]
    /// The numbers of each owner's elements, in order.
    private var numbers: [Owner: ArraySlice<UInt64>] = [:]
    /// A lower bound of the elements' numbers.
    private var first: UInt64 = 0
    /// The number of the next element to be appended.
    private var next: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }

    var count: Int { elements.count }

    /// Returns the number of an owner's elements.
    func count(of owner: Owner) -> Int { numbers[owner]?.count ?? 0 }

    mutating func append(_ element: Element, of owner: Owner?) {
        elements[next] = (element, owner)
        if let owner { numbers[owner, default: []].append(next) }
        next += 1
    }

    mutating func popFirst() -> Element? {
        if elements.isEmpty {
            first = next
            return nil
        }
        while true {
            defer { first += 1 }
            guard let (element, owner) = elements.removeValue(forKey: first) else { continue }
            if let owner { forgetFirstNumber(of: owner) }
            return element
        }
    }

    /// Removes and returns an owner's first element.
    mutating func removeFirst(of owner: Owner) -> Element? {
        guard let number = numbers[owner]?.first else { return nil }
        forgetFirstNumber(of: owner)
        return elements.removeValue(forKey: number)?.element
    }

    /// Removes and returns an owner's elements.
    mutating func removeAll(of owner: Owner) -> [Element] {
        (numbers.removeValue(forKey: owner) ?? []).compactMap { elements.removeValue(forKey: $0)?.element }
    }

    private mutating func forgetFirstNumber(of owner: Owner) {
        guard let rest = numbers[owner]?.dropFirst() else { return }
        numbers[owner] = rest.isEmpty ? nil : rest
    }
}
