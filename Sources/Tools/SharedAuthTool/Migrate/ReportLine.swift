internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// The outcome for an app's users, as a line of a report.
struct ReportLine: Decodable {
    var appID: String?
    /// The user that was current, or else the first one.
    var uid: String?
    /// All users; nil in lines of versions that recorded only one.
    private var uids: [String]?
    /// The issuers of these users, in the same order; nil in lines of versions that did not record them, and if none is
    /// known.
    private var issuers: [String?]?
    var from: String?
    var to: String?
    var outcome: UserMigration.Outcome.Kind
    private var error: String?
    var replaced: String?
    private var wasAtTarget: Bool
    /// The users that had a session at the target before; nil if `wasAtTarget` applies to all.
    private var uidsAtTarget: [String]?
    /// The apps that used the target before; nil in lines of versions that did not record them, and if there are too
    /// many.
    private(set) var appsAtTarget: [String]?

    /// The maximum number of apps in a line, which limits its length.
    static let mostApps = 64

    init(_ outcome: UserMigration.Outcome, _ migration: UserMigration) {
        // If the app had no user to move, the outcome names one of the users at the target.
        let isThere = outcome.kind == .alreadyThere && outcome.uid != nil && outcome.accounts.isEmpty
        let accounts = isThere ? migration.accountsAtTarget(of: outcome.appID) : outcome.accounts
        (appID, uid, uids) = (outcome.appID, outcome.uid, accounts.map(\.uid))
        if accounts.contains(where: { $0.issuer != nil }) { issuers = accounts.map(\.issuer) }
        (from, to) = (migration.source, migration.target)
        (self.outcome, error, replaced) = (outcome.kind, outcome.error?.text, outcome.replacedUID)
        wasAtTarget = outcome.wasAtTarget
        if to != nil, isMoved || isJoined, outcome.appsAtTarget.count <= Self.mostApps {
            appsAtTarget = outcome.appsAtTarget
        }
        uidsAtTarget = outcome.uids.count > 1 ? outcome.uidsAtTarget : nil
    }

    /// All users.
    var users: [AccountID] {
        let issuers = issuers ?? []
        return (uids ?? [uid].compactMap(\.self)).enumerated().map { place, uid in
            AccountID(uid: uid, issuer: place < issuers.count ? issuers[place] : nil)
        }
    }

    /// The users that had a session at the target before.
    var residents: [AccountID] {
        guard let uidsAtTarget else { return wasAtTarget ? users : [] }
        return users.filter { uidsAtTarget.contains($0.uid) }
    }

    /// Indicates whether the users are at the target, or will be.
    var isMoved: Bool { [.moved, .pending].contains(outcome) }

    /// Indicates whether the app has joined another user at the target, and its users have stayed.
    var isJoined: Bool { outcome == .joined }

    /// Returns whether both lines are of one move of one app.
    func isOfSameMove(as other: ReportLine) -> Bool {
        (appID, from, to) == (other.appID, other.from, other.to) && uid == other.uid
    }

    /// Returns whether this line concludes a move that an earlier run began. A source that is found empty has no user
    /// left to move, even if another user is current at the target.
    func concludes(_ begun: ReportLine) -> Bool {
        isOfSameMove(as: begun)
            || (appID, from, to) == (begun.appID, begun.from, begun.to) && outcome == .alreadyThere
    }

    /// Returns this line with the facts from the start of its move, if this run found the move done, or finished it.
    func withStartFacts(of begun: ReportLine) -> ReportLine {
        guard [.moved, .alreadyThere].contains(outcome) else { return self }
        var line = self
        line.outcome = .moved
        // The copies of an unfinished move do not count as users that were there before.
        (line.uid, line.uids, line.issuers) = (begun.uid, begun.uids, begun.issuers)
        (line.wasAtTarget, line.uidsAtTarget) = (begun.wasAtTarget, begun.uidsAtTarget)
        line.appsAtTarget = begun.appsAtTarget
        return line
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "appID": JSONValue(appID), "uid": JSONValue(uid), "uids": .array(users.map { .string($0.uid) }),
            "from": JSONValue(from), "to": JSONValue(to), "outcome": .string(outcome.rawValue),
            "error": JSONValue(error), "replaced": JSONValue(replaced), "wasAtTarget": .bool(wasAtTarget),
        ]
        if let appsAtTarget { members["appsAtTarget"] = .array(appsAtTarget.map(JSONValue.string)) }
        if let issuers { members["issuers"] = .array(issuers.map { JSONValue($0) }) }
        if let uidsAtTarget { members["uidsAtTarget"] = .array(uidsAtTarget.map(JSONValue.string)) }
        return .object(members)
    }

    var text: String {
        // Strings and Booleans can always be encoded.
        (try? json.text) ?? "{}"
    }

    /// Reads the lines of a file.
    ///
    /// - Throws: `recordDamaged` if it cannot be read, or contains other lines.
    static func all(in path: String) throws(AuthError) -> [ReportLine] {
        guard
            case .bytes(let bytes)? = try? SmallFile.read(
                path,
                path: path,
                atMost: 1 << 28,
                followingLinks: true,
                demandsPrivacy: false
            )
        else { throw .noReport(path, "it cannot be read") }
        var lines: [ReportLine] = []
        for (number, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            if text.allSatisfy({ $0 == UInt8(ascii: " ") }) { continue }
            guard let line = try? UntrustedJSON.decode(ReportLine.self, from: text) else {
                throw .noReport(path, "line \(number + 1) is not one of its lines")
            }
            lines.append(line)
        }
        return lines
    }
}

extension UserMigration.Outcome.Kind: Decodable {}

/// The moves that a run has started and not yet reported: a file next to the report, with lines whose outcome is
/// `moved`.
struct BegunLines {
    private let path: String
    private(set) var lines: [ReportLine]

    init(nextTo report: String) throws(AuthError) {
        path = Self.path(nextTo: report)
        lines = FileManager.default.fileExists(atPath: path) ? try ReportLine.all(in: path) : []
    }

    static func path(nextTo report: String) -> String { "\(report).begun" }

    /// Records moves that are about to start. The record survives if the process is killed.
    mutating func add(_ beginning: [ReportLine]) throws(AuthError) {
        lines += beginning.filter { line in !lines.contains { $0.isOfSameMove(as: line) } }
        if lines.isEmpty { return }
        let text = lines.map { "\($0.text)\n" }.joined()
        do throws(SystemError) {
            try SmallFile.replace(path, with: Array(text.utf8), durably: false)
        } catch {
            throw AuthError(.stateDirectoryUnusable, "The file \(path) cannot be written: \(error).", underlying: error)
        }
    }

    /// Returns a line, completed with the facts from the start of its move.
    func completed(_ line: ReportLine) -> ReportLine {
        lines.first(where: line.concludes).map(line.withStartFacts) ?? line
    }

    /// Removes moves that have been reported.
    mutating func remove(_ written: [ReportLine]) {
        lines.removeAll { line in written.contains { $0.concludes(line) } }
    }

    /// Removes the file, or rewrites it with the moves that remain from other runs.
    mutating func close() {
        if lines.isEmpty { try? FileManager.default.removeItem(atPath: path) } else { try? add([]) }
    }
}
