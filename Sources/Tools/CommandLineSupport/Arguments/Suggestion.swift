internal import ArgumentParser
internal import DesktopSupport

/// Corrects the argument parser's messages about a misspelt verb or option: the parser suggests no verb, and does not
/// know the shared options.
struct Suggestion {
    private let root: any ParsableCommand.Type

    init(of root: any ParsableCommand.Type) { self.root = root }

    /// Returns the parser's message, with the closest verb or option as a suggestion.
    func corrected(_ message: String) -> String {
        if let match = message.firstMatch(of: /Unknown option '(--[^'\s]+)'(?:\. Did you mean '[^']*'\?)?/) {
            let word = String(match.1)
            let said = closest(to: word, among: options).map { "Unknown option '\(word)'. Did you mean '\($0)'?" }
            return message.replacingCharacters(match.range, said ?? "Unknown option '\(word)'")
        }
        if let match = message.firstMatch(of: /Unexpected argument '([^'\s]+)'/), verb == nil,
            let close = closest(to: String(match.1), among: verbs.map(\.name))
        {
            return message.replacingCharacters(match.range, "\(match.0). Did you mean '\(close)'?")
        }
        return message
    }

    private var verbs: [(name: String, command: any ParsableCommand.Type)] {
        root.configuration.subcommands.compactMap { command in
            command.configuration.commandName.map { ($0, command) }
        }
    }

    /// The verb of this call; nil if it names none.
    private var verb: (any ParsableCommand.Type)? {
        ProgramArguments.words.dropFirst().lazy.compactMap { word in verbs.first { $0.name == word }?.command }.first
    }

    /// The long options of this call's verb, including the shared ones.
    private var options: [String] {
        func help<Root: ParsableCommand>(of root: Root.Type) -> String {
            guard let verb else { return root.helpMessage(includeHidden: true) }
            return root.helpMessage(for: verb, includeHidden: true)
        }
        return help(of: root).matches(of: /--[a-z][a-z-]*/).map { String($0.0) }
    }

    /// Returns the closest of these words, if it is close enough to be meant.
    private func closest(to word: String, among words: [String]) -> String? {
        let all = words.map { (word: $0, distance: Self.distance(Array(word), Array($0))) }
        return all.filter { $0.distance <= max(1, word.count / 3) }.min { $0.distance < $1.distance }?.word
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours between two words.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var (before, last) = ([Int](), Array(0...second.count))
        for (row, left) in first.enumerated() {
            var line = [row + 1]
            for (column, right) in second.enumerated() {
                var cost = min(last[column + 1], line[column]) + 1
                cost = min(cost, last[column] + (left == right ? 0 : 1))
                if row > 0, column > 0, left == second[column - 1], first[row - 1] == right {
                    cost = min(cost, before[column - 1] + 1)
                }
                line.append(cost)
            }
            (before, last) = (last, line)
        }
        return last[second.count]
    }
}

extension Suggestion {
    /// Returns the parser's completion script, extended to offer verbs after `help`.
    func offeringVerbsToHelp(_ script: String) -> String {
        let (name, words) = (root.configuration.commandName ?? "", verbs.map(\.name).joined(separator: " "))
        if let place = script.firstRange(of: "_\(name)_help() {"),
            let end = script[place.upperBound...].firstRange(of: "\n}")
        {
            if let subcommands = script[place.upperBound..<end.lowerBound].firstRange(of: "'*:subcommands:'") {
                return script.replacingCharacters(subcommands, "'*:subcommands:(\(words))'")
            }
            let offer = "\n    COMPREPLY+=($(compgen -W '\(words)' -- \"${cur}\"))"
            return script.replacingCharacters(end.lowerBound..<end.lowerBound, offer)
        }
        return script + "\ncomplete -c '\(name)' -n '__fish_seen_subcommand_from help' -fa '\(words)'"
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, _ text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
