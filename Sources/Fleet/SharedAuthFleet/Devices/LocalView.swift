internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthRecords

/// The record that shows a shared record's users to the apps of this device that do not use the fleet.
///
/// It stands where these apps store their users, and has no tokens. They show it, and cannot change it.
enum LocalView {
    /// Returns the payload of the view of a copy; nil if the copy was never confirmed, or is no user record.
    static func payload(of copy: LocalRecords.Copy) -> [UInt8]? {
        guard let asOf = copy.asOf else { return nil }
        var record = UserRecord()
        if let shown = copy.state.shown {
            guard let users = try? UserRecord(decoding: shown.payload) else { return nil }
            record = users
        }
        return try? record.viewed(asOf: copy.isConfirmed ? nil : asOf).encoded()
    }

    /// Returns the change to the local record that shows this view.
    ///
    /// - Parameter replacing: Whether a record that an app without the fleet has stored is replaced, as by a sign-in.
    static func change(of stored: StoredRecord, to payload: [UInt8], replacing: Bool) -> RecordChange {
        switch stored {
        case .none, .empty: .write(payload)
        case .whole(let record) where record.payload == payload: .keep
        case .whole(let record): replacing || isView(record) ? .write(payload) : .keep
        case .damaged: replacing ? .replaceDamaged(payload) : .keep
        case .newer: .keep
        }
    }

    /// Returns the change to the local record when the device leaves the fleet.
    static func removal(of stored: StoredRecord) -> RecordChange {
        if case .whole(let record) = stored, isView(record) { .delete } else { .keep }
    }

    private static func isView(_ record: Record) -> Bool {
        (try? UserRecord(decoding: record.payload))?.fleet != nil
    }
}
