import Foundation

/// Prints outcomes as a table.
enum Table {
    static func print(_ outcome: Outcome) {
        line(outcome.row, outcome.who, outcome.median, outcome.p99, outcome.unit)
        for rival in outcome.rivals {
            let verdict = rival.aim.map { aim in
                String(format: "  aim %.2f: %@", aim, rival.ratio < aim ? "met" : "NOT met")
            }
            line(
                "",
                rival.who,
                rival.median,
                rival.p99,
                outcome.unit,
                String(format: "%6.3f", rival.ratio) + (verdict ?? "")
            )
        }
    }

    static func heading() {
        Swift.print(pad("work", 34), pad("by", 44), "    median        p99       ratio of ours")
    }

    private static func line(
        _ row: String,
        _ who: String,
        _ median: Double,
        _ p99: Double,
        _ unit: String,
        _ rest: String = ""
    ) {
        let digits = median < 10 ? 3 : 0
        let numbers = String(format: "%10.*f %10.*f %@  %@", digits, median, digits, p99, unit, rest)
        Swift.print(pad(row, 34), pad(who, 44), numbers)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }
}
