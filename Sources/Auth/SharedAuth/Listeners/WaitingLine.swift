/// A first-in, first-out line of elements, each of which may have an owner.
///
/// Each operation takes constant time on average, however many elements wait; to remove those of an owner takes as long as that has
/// elements.
struct WaitingLine<Owner: Hashable, Element> {
    /// The elements and their owners by their numbers, which rise from the first to the last.
    private var elements: [UInt64: (element: Element, owner: Owner?)] = [:]
    /// The numbers of each owner's elements, in order.
    private var numbers: [Owner: ArraySlice<UInt64>] = [:]
    /// No element has a smaller number.
    private var first: UInt64 = 0
    /// The number of the next element that comes.
    private var next: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }

    var count: Int { elements.count }

    /// How many elements of an owner wait.
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

    /// Removes the first element of an owner.
    mutating func removeFirst(of owner: Owner) -> Element? {
        guard let number = numbers[owner]?.first else { return nil }
        forgetFirstNumber(of: owner)
        return elements.removeValue(forKey: number)?.element
    }

    /// Removes the elements of an owner.
    mutating func removeAll(of owner: Owner) -> [Element] {
        (numbers.removeValue(forKey: owner) ?? []).compactMap { elements.removeValue(forKey: $0)?.element }
    }

    private mutating func forgetFirstNumber(of owner: Owner) {
        guard let rest = numbers[owner]?.dropFirst() else { return }
        numbers[owner] = rest.isEmpty ? nil : rest
    }
}
