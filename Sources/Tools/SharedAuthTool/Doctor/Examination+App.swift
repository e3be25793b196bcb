internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import LocalIdentity
internal import SharedAuth

extension Examination {
    /// Checks that app id, team id, declared groups and project are well-formed and consistent. Returns nil if not.
    mutating func checkIdentity() -> AppIdentity? {
        do throws(AuthError) {
            let identity = try AppIdentity(
                appID: options.appID ?? AppIdentity.derivedAppID(),
                teamID: options.teamID,
                accessGroups: options.accessGroups
            )
            try AppInspection.check(project: options.project)
            let groups = identity.accessGroups.map(\.name).joined(separator: ", ")
            note(
                .good(
                    "identity",
                    groups.isEmpty
                        ? "\(identity.appID) declares no access groups, so it may use any."
                        : "\(identity.appID) declares \(groups)."
                )
            )
            return identity
        } catch {
            note(
                .bad(
                    "identity",
                    error.message,
                    remedy: "Correct --app-id, --team-id, --declare or --project, and the app's matching option.",
                    status: .usage
                )
            )
            return nil
        }
    }

    /// Reports the sandbox that the program runs in.
    mutating func checkSandbox() {
        switch Sandbox.current {
        case nil:
            note(.good("sandbox", "This program is not sandboxed."))
        case .flatpak(let appID):
            note(.good("sandbox", "This program runs in the Flatpak \(appID ?? "of an unknown app")."))
        case .snap(let name):
            note(.good("sandbox", "This program runs in the snap \(name)."))
        }
    }

    /// Checks that the app's access-group choice can be read, and that the app may use the group. Returns the group;
    /// nil for the app's own slot, or if the check fails.
    mutating func checkChoice(of app: AppInspection) -> String? {
        do throws(AuthError) {
            let group = try app.userAccessGroup()
            note(.good("choice", "The app uses \(group.map { "the access group \($0)" } ?? "its own slot")."))
            return group
        } catch {
            let path = app.choicePath ?? "that stores the choice"
            let remedy =
                error.code == .accessGroupNotDeclared
                ? "Declare the group, with --declare or in the app's options, or choose another."
                : "Choose again with sharedauth use-group; if that fails, check the file \(path)."
            note(.bad("choice", error.message, remedy: remedy, status: ExitCode(error.code)))
            return nil
        }
    }

    /// Checks that every record of the app can be read: its own slot, the group in use, and the accounts of the
    /// embedded identity provider. Adds a finding for each record that is damaged or of a newer version. Stops at the
    /// first failure of the store itself.
    mutating func checkRecords(of app: AppInspection, in group: String?, on store: any RecordStore) {
        var count = 0
        var isGood = true
        var records: [AppRecord] = [.user(nil)]
        if let group { records.append(.user(group)) }
        records += IdentityRecord.all.map(AppRecord.identity)
        for record in records {
            do throws(AuthError) {
                if try isThere(record, of: app, on: store) { count += 1 }
            } catch {
                isGood = false
                note(.bad("records", error.message, remedy: error.toolRemedy, status: ExitCode(error.code)))
                if error.code != .recordDamaged, error.code != .recordVersionUnsupported { return }
            }
        }
        guard isGood else { return }
        switch count {
        case 0: note(.good("records", "Nothing is stored yet."))
        case 1: note(.good("records", "The only record can be read."))
        default: note(.good("records", "All \(count) records can be read."))
        }
    }

    /// Lists the set-aside records of the app's users, in its own slot and in the group in use.
    mutating func checkSetAside(of app: AppInspection, in group: String?) {
        // Nil is the app's own slot.
        for group in group.map({ [nil, $0] }) ?? [nil] {
            let slot = Self.slot(group)
            let records: [SetAsideRecord]
            do throws(AuthError) {
                records = try app.setAsideRecords(inAccessGroup: group, by: deadline)
            } catch {
                let message = "\(slot): the records that were set aside cannot be listed. \(error.message)"
                note(.warning("aside", message, remedy: error.toolRemedy ?? "Try again."))
                continue
            }
            for record in records {
                let date = record.date.map { " on \($0.formatted(.iso8601))" } ?? ""
                note(
                    .warning(
                        "aside",
                        "\(slot): a record that could not be read was set aside\(date), as \(record.place).",
                        remedy: "Delete it when it is no longer needed."
                    )
                )
            }
        }
    }

    /// Warns if the keyring of a slot's user was replaced by one without the user.
    mutating func checkReplacement(of app: AppInspection, in group: String?) {
        // A change of the daemon has been reported.
        if findings.contains(where: { $0.check == "change" }) { return }
        for group in group.map({ [nil, $0] }) ?? [nil] {
            // `checkRecords` reports a record that cannot be read.
            guard let change = (try? app.change(of: group, by: deadline)) ?? nil else { continue }
            note(.warning("change", change.message, remedy: change.remedy ?? "Sign in again, or sign out."))
        }
    }

    /// Warns of records that another machine has written last.
    mutating func checkMachine(of app: AppInspection, in group: String?) {
        for group in group.map({ [nil, $0] }) ?? [nil] {
            // `checkRecords` reports a record that cannot be read.
            guard (try? app.isOfOtherMachine(group, by: deadline)) ?? false else { continue }
            note(
                .warning(
                    "machine",
                    "\(Self.slot(group)): another machine has written the record last, or this one has got another "
                        + "id.",
                    remedy:
                        "If both machines are in use, sign in on each with a keyring or store of its own: an identity "
                        + "provider that replaces refresh tokens ends a session that two copies use."
                )
            )
        }
    }

    /// Checks that no tokens of the app's users came when this machine's clock was ahead.
    mutating func checkDates(of app: AppInspection, in group: String?) {
        for group in group.map({ [nil, $0] }) ?? [nil] {
            // `checkRecords` reports a record that cannot be read.
            let accounts = try? app.accounts(inAccessGroup: group, by: deadline)
            for account in accounts ?? [] where account.tokens.isFromFuture(at: options.now()) {
                let date = account.tokens.issueDate.map { " at \($0.formatted(.iso8601))" } ?? ""
                note(
                    .warning(
                        "dates",
                        "\(Self.slot(group)): the tokens of \(account.uid) are from the future: they were stored\(date).",
                        remedy:
                            "Set this machine's clock if it is wrong. Otherwise it was, and apps refresh these tokens "
                            + "when they use them."
                    )
                )
            }
        }
    }

    /// Checks that the sessions of the app's users can be renewed, as far as the last refresh tells.
    mutating func checkSessions(of app: AppInspection, in group: String?) {
        for group in group.map({ [nil, $0] }) ?? [nil] {
            // `checkRecords` reports a record that cannot be read.
            let accounts = try? app.accounts(inAccessGroup: group, by: deadline)
            for account in accounts ?? [] {
                if let error = account.sessionFailure {
                    let message = "\(Self.slot(group)): \(error.message)"
                    note(.bad("session", message, remedy: error.remedy, status: ExitCode(error.code)))
                } else if let error = account.tokens.refreshFailure {
                    note(
                        .warning(
                            "session",
                            "\(Self.slot(group)): the last refresh for \(account.uid) was refused. \(error.message)",
                            remedy: error.toolRemedy ?? "Sign in again if it persists."
                        )
                    )
                }
            }
        }
    }

    private static func slot(_ group: String?) -> String {
        group.map { "Access group \($0)" } ?? "The app's own slot"
    }

    /// Returns true if the record exists, after reading all of it.
    private func isThere(
        _ record: AppRecord,
        of app: AppInspection,
        on store: any RecordStore
    ) throws(AuthError) -> Bool {
        switch record {
        case .user(let group): try app.hasRecord(inAccessGroup: group, by: deadline)
        case .identity(let record): try record.check(in: store, project: options.project, by: deadline)
        }
    }
}

/// A record that an app depends on.
private enum AppRecord {
    /// The user record of an access group; with nil, that of the app's own slot.
    case user(String?)
    case identity(IdentityRecord)
}
