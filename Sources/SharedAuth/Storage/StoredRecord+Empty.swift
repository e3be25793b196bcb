extension StoredRecord {
    /// Whether there is an item or a file in the record's place that holds nothing at all: a keyring that died while it made
    /// an item leaves one. It is damage, but replacing it loses nothing.
    package var isEmpty: Bool {
        if case .damaged("it is empty") = self { true } else { false }
    }
}
