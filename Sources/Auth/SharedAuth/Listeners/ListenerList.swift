/// Listeners in the order in which they were added. Adding and removing one takes amortized constant time.
struct ListenerList {
    /// The listeners, with gaps where some were removed.
    private var places: [Listener?] = []
    private var indices: [ObjectIdentifier: Int] = [:]

    /// The listeners, in order.
    var all: [Listener] { places.compactMap(\.self) }

    mutating func append(_ listener: Listener) {
        indices[ObjectIdentifier(listener)] = places.count
        places.append(listener)
    }

    mutating func remove(_ listener: Listener) {
        guard let index = indices.removeValue(forKey: ObjectIdentifier(listener)) else { return }
        places[index] = nil
        if indices.count < places.count / 2 { closeGaps() }
    }

    private mutating func closeGaps() {
        places.removeAll { $0 == nil }
        for (index, listener) in places.enumerated() {
            if let listener { indices[ObjectIdentifier(listener)] = index }
        }
    }
}
