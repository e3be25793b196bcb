extension FleetError {
    static var lostConnection: FleetError {
        FleetError(
            .away,
            "The connection to the fleet's server was lost.",
            remedy: "Try again when the server is back."
        )
    }

    /// Creates the error for the SQLSTATE of a failed statement; nil if the connection was lost.
    init(state: String?) {
        guard let state else {
            self = .lostConnection
            return
        }
        switch state {
        // Ended by the administrator, by a crash, or because a transaction was idle for too long.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "08000", "08003", "08006":
            self = .lostConnection
        case "53300":
            self = FleetError(
                .away,
                "The fleet's server has no connection left (SQLSTATE 53300).",
                remedy: "Try again later, or ask the administrator to raise max_connections."
            )
        // Raised by the schema.
        case "SA001":
            self = FleetError(
                .full,
                "The records take all the room that the server allows to a person (SQLSTATE SA001); nothing was changed.",
                remedy: "Ask the administrator to raise the person's room in the table person."
            )
        case "53100":
            self = FleetError(
                .full,
                "The fleet's server has no room left (SQLSTATE 53100); nothing was changed.",
                remedy: "Ask the administrator to make room."
            )
        case "53200":
            self = FleetError(
                .full,
                "The fleet's server has no memory left for locks or connections (SQLSTATE 53200); nothing was changed.",
                remedy: "Ask the administrator to look who holds locks, in pg_locks."
            )
        // Version 2 of the schema used it for the person's room, too.
        case "54000":
            self = FleetError(
                .full,
                "The fleet's server has reached one of its limits (SQLSTATE 54000); nothing was changed.",
                remedy: "Ask the administrator to look at pg_notification_queue_usage(), and, if the schema has "
                    + "version 2, at the person's room in the table person."
            )
        case "25006":
            self = .readOnly
        case "55P03":
            self = FleetError(
                .conflict,
                "Another device or process held the record or the turn until the deadline; nothing was changed.",
                remedy: "Try again."
            )
        case "57014":
            self = FleetError(.away, "The fleet's server did not respond in time.", remedy: "Try again.")
        case "42501":
            self = FleetError(
                .noPerson,
                "The server does not let this role do that; nothing was changed.",
                remedy:
                    "If this device was not removed, ask the administrator to grant sharedauth_person to the role, and to "
                    + "add it to the table person or device."
            )
        case "42P01", "3F000", "42883", "42703":
            self = .missingSchema
        case "23505", "40001", "40P01":
            self = FleetError(
                .conflict,
                "Another device changed the fleet at the same time; nothing was changed.",
                remedy: "Try again."
            )
        default:
            self = FleetError(
                .failed,
                "The fleet's server refused a statement (SQLSTATE \(state)); nothing was changed.",
                remedy: "Ask the administrator to look this code up in the server's log."
            )
        }
    }

    /// Creates the error for the text with which libpq reports a failed connection. The text itself is not shown, as it
    /// names addresses.
    init(connecting message: String) {
        let state = message.firstMatch(of: /FATAL:  ([0-9A-Z]{5}):/).map { String($0.1) }
        switch state {
        case "28000", "28P01":
            self = FleetError(
                .notAdmitted,
                "The server does not admit this role with its certificate or password.",
                remedy: "Check the role and the files of the address; ask the administrator about pg_hba.conf."
            )
        case "3D000":
            self = FleetError(
                .invalidAddress,
                "The server has no database of this name.",
                remedy: "Check the database in the address."
            )
        // A pooler does not know the options of a session.
        case "08P01":
            self = .pooler
        case .some:
            self.init(state: state)
        case nil where message.contains("certificate") || message.contains("SSL"):
            self = FleetError(
                .certificate,
                "The certificate of the server, or of this client, was not accepted.",
                remedy: "Check that the server's certificate names the host and was issued by the root certificate."
            )
        case nil where message.contains("service"):
            self = FleetError(
                .invalidAddress,
                "PGSERVICE names a service that PostgreSQL's service file does not have.",
                remedy: "Unset PGSERVICE."
            )
        case nil:
            self = FleetError(
                .away,
                "The fleet's server cannot be reached.",
                remedy: "Check the network; the state stays readable here meanwhile."
            )
        }
    }

    static var missingSchema: FleetError {
        FleetError(
            .schemaVersion,
            "The database does not have SharedAuth's schema.",
            remedy: "Ask the administrator to run the output of sharedauth fleet schema in the database."
        )
    }

    static var readOnly: FleetError {
        FleetError(
            .readOnly,
            "The server is a standby, which accepts no changes; nothing was changed.",
            remedy: "Give the address of the primary, or both, separated by a comma."
        )
    }
}
