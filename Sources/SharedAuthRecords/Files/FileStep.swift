/// One thing that a store does to its directory, where its process may die and the disk may fail.
package enum FileStep: String, Sendable, CaseIterable {
    /// Makes a temporary file.
    case create
    /// Writes to it.
    case write
    /// Brings it to the disk.
    case sync
    /// Gives a second name to what is to be set aside.
    case link
    /// Puts one file in the place of another, or moves one aside.
    case rename
    /// Removes a file.
    case unlink
    /// Brings the names in the directory to the disk.
    case syncDirectory
}
