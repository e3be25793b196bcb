internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// The slots that `list` prints, as lines that fit the terminal.
///
/// Where all of it fits side by side on the terminal, each slot is one line. Else it is two, and a third one where something
/// is not as usual: in as many columns as the terminal has, 80 where none reads it. A text that is longer is cut in its middle.
struct SlotTable {
    /// What is printed of one slot.
    struct Row {
        var slot = "SLOT"
        var accounts = "ACCOUNTS"
        var size = "BYTES"
        var changed = "CHANGED"
        var user = "USER"
        var issuer = "ISSUER"
        var expires = "EXPIRES"
        var marks = ""

        /// The titles.
        init() {}

        init(_ slot: ListedSlot) {
            self.slot = slot.name.printable
            accounts = slot.accountCount.map(String.init) ?? "?"
            size = String(slot.size)
            changed = slot.modified?.minute ?? "?"
            user = slot.reason == nil ? slot.current?.uid.printable ?? "nobody" : "?"
            issuer = slot.current.map { $0.knownIssuer?.printable ?? "?" } ?? ""
            expires = slot.current?.tokens.expirationDate.minute ?? ""
            marks = slot.marks.joined(separator: "; ").printable
        }
    }

    private static let usualWidth = 80
    private static let gap = "  "

    let rows: [Row]

    /// The lines, for a terminal of so many columns, or for another reader.
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

    /// One line for each slot.
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

    /// Two lines for each slot, and a third for its marks.
    private func narrowLines(width: Int) -> [String] {
        let numbers = (accounts: self.width(\.accounts), size: self.width(\.size), changed: self.width(\.changed))
        let gaps = Self.gap.count * 3
        let slot = min(self.width(\.slot), width - numbers.accounts - numbers.size - numbers.changed - gaps)
        let room = width - gaps - self.width(\.expires)
        // Each of the two has half of the room, and what the other leaves of it.
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

    /// The cells with gaps between them, and nothing after the last one that says something.
    private static func line(_ cells: [String]) -> String {
        let line = cells.joined(separator: gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension Date {
    /// The minute, in UTC.
    fileprivate var minute: String { String(ISO8601Format().prefix("2026-01-01T00:00".count)) + "Z" }
}
