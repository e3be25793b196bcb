internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// The slots that `list` prints, as lines that fit the terminal.
///
/// Each slot is one line if everything fits the terminal. Otherwise it has two lines, and a third one for remarks, in
/// the terminal's width but at least 80 columns, or in 80 columns without a terminal. A longer text is truncated in the
/// middle.
struct SlotTable {
    /// The cells of a slot.
    struct Row {
        var slot = "SLOT"
        var accounts = "ACCOUNTS"
        var size = "BYTES"
        var changed = "CHANGED"
        var user = "USER"
        var issuer = "ISSUER"
        var expires = "EXPIRES"
        var marks = ""

        /// Creates the row of titles.
        init() {}

        init(_ slot: ListedSlot) {
            self.slot = slot.name.printable
            accounts = slot.accountCount.map(String.init) ?? "?"
            size = String(slot.size)
            changed = slot.modified?.minute ?? "?"
            user = slot.reason == nil ? slot.current?.uid.printable ?? "nobody" : "?"
            issuer = slot.current.map { $0.knownIssuer?.printable ?? "?" } ?? ""
            expires = slot.current?.expirationDate?.minute ?? ""
            marks = slot.marks.joined(separator: "; ").printable
        }
    }

    private static let usualWidth = 80
    private static let gap = "  "

    let rows: [Row]

    /// Returns the lines for a terminal of this width, or for other output if it is nil.
    func lines(terminalWidth: Int?) -> [String] {
        if let terminalWidth {
            let lines = wideLines
            if lines.allSatisfy({ $0.displayWidth <= terminalWidth }) { return lines }
        }
        return narrowLines(width: max(terminalWidth ?? Self.usualWidth, Self.usualWidth))
    }

    private var all: [Row] { [Row()] + rows }

    private func width(_ column: KeyPath<Row, String>) -> Int {
        all.map { $0[keyPath: column].displayWidth }.max() ?? 0
    }

    /// The table with one line for each slot.
    private var wideLines: [String] {
        let columns: [(KeyPath<Row, String>, Bool)] = [
            (\.slot, false), (\.user, false), (\.issuer, false), (\.expires, false), (\.accounts, true), (\.size, true),
            (\.changed, false), (\.marks, false),
        ]
        let widths = columns.map { width($0.0) }
        return all.map { row in
            let cells = zip(columns, widths).map { column, width in
                row[keyPath: column.0].padded(to: width, alignedRight: column.1)
            }
            return Self.line(cells)
        }
    }

    /// Returns two lines for each slot, and a third for its remarks.
    private func narrowLines(width: Int) -> [String] {
        let numbers = (accounts: self.width(\.accounts), size: self.width(\.size), changed: self.width(\.changed))
        let gaps = Self.gap.count * 3
        let slot = min(self.width(\.slot), width - numbers.accounts - numbers.size - numbers.changed - gaps)
        let room = width - gaps - self.width(\.expires)
        // User and issuer each have half of the space, and any space that the other does not need.
        let issuer = min(self.width(\.issuer), max(room / 2, room - self.width(\.user)))
        let user = min(self.width(\.user), room - issuer)
        return all.flatMap { row in
            let first = [
                row.slot.cut(to: slot).padded(to: slot),
                row.accounts.padded(to: numbers.accounts, alignedRight: true),
                row.size.padded(to: numbers.size, alignedRight: true),
                row.changed,
            ]
            let second = [
                row.user.cut(to: user).padded(to: user), row.issuer.cut(to: issuer).padded(to: issuer), row.expires,
            ]
            let marks = row.marks.isEmpty ? [] : [Self.gap + row.marks.cut(to: width - Self.gap.count)]
            return [Self.line(first), Self.gap + Self.line(second)] + marks
        }
    }

    /// Joins the cells with gaps. Removes trailing spaces.
    private static func line(_ cells: [String]) -> String {
        let line = cells.joined(separator: gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension Date {
    /// The date to the minute, in UTC.
    var minute: String { String(ISO8601Format().prefix("2026-01-01T00:00".count)) + "Z" }
}
