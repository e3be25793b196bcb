/// What an update does with a slot.
enum SlotChange {
    case keep
    /// Store this; a record without accounts empties the slot.
    case store(UserRecord)
}
