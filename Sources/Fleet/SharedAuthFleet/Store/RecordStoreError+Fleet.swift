internal import SharedAuthRecords

extension RecordStoreError {
    /// Creates the store's error for a failure of the fleet.
    init(_ error: FleetError) {
        let code: Code =
            switch error.code {
            case .away, .readOnly, .needsServer, .notEnrolled, .invalidAddress, .certificate, .schemaVersion, .pooler:
                .unavailable
            case .notAdmitted, .noPerson, .unsafeRole, .changedSchema, .forgedHeader, .forgedRecord, .divergedHeader,
                .outdated, .removed, .reset, .wrongCode, .alreadyEnrolled:
                .denied
            case .full: .full
            case .exchangeInterrupted: .timedOut
            case .conflict: .conflict
            default: .failed
            }
        self.init(
            code,
            error.message,
            remedy: error.remedy,
            outcomeIsUnknown: error.outcomeIsUnknown,
            underlying: error
        )
    }

    /// The failure of the fleet, if it is the reason.
    var ofFleet: FleetError? { underlying as? FleetError }
}

extension FleetError {
    /// Creates the fleet's error for one of a store: the failure of the fleet that is its reason, or else a failure of
    /// the local store.
    init(_ error: RecordStoreError) {
        self = error.ofFleet ?? FleetError(.failed, error.message, remedy: error.remedy)
    }

    /// Indicates whether the copy on this device may be shown despite the error: nothing proves that this device does not
    /// belong to the fleet any more.
    var leavesCopy: Bool {
        switch code {
        case .removed, .reset, .notEnrolled: false
        default: true
        }
    }

    /// Indicates whether the server cannot be used, and so no change but a sign-out is possible.
    var isOutage: Bool {
        switch code {
        case .away, .readOnly, .certificate, .notAdmitted, .noPerson, .unsafeRole, .changedSchema, .schemaVersion,
            .pooler, .full, .invalidAddress, .needsServer:
            true
        default: false
        }
    }

    static var notEnrolled: FleetError {
        FleetError(
            .notEnrolled,
            "This device belongs to no fleet.",
            remedy: "Run sharedauth fleet init, or sharedauth fleet enrol with a code from a device of the fleet."
        )
    }

    /// The error for a change that needs the server, which cannot be used because of this error.
    var refusingChange: FleetError {
        FleetError(
            code == .away ? .needsServer : code,
            "\(message) Nothing was changed: only a sign-out is possible meanwhile.",
            remedy: remedy
        )
    }
}
