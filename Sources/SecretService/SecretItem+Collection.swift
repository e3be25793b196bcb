extension SecretItem {
    /// The collection the item is in, as its path says.
    public var collection: SecretCollection {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return service.collection(at: String(path[..<end]))
    }
}
