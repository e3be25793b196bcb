extension Item {
    /// The collection the item is in, as its path says.
    public var collection: Collection {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return service.collection(at: String(path[..<end]))
    }
}
