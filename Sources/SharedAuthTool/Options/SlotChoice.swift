internal import ArgumentParser

/// What a verb's two ways of naming a slot come to.
enum SlotChoice {
    /// The group of the one, or nil for the other; a usage error when both are given or none is.
    static func group(_ group: String?, orOwn own: Bool, _ names: String) throws -> String? {
        if (group != nil) == own { throw ValidationError("Give either \(names).") }
        return group
    }
}
