package import ArgumentParser
internal import DesktopSupport

extension CommandConfiguration {
    /// Creates a verb's configuration, with a discussion that ends with examples and a reference to the shared options.
    ///
    /// - Parameters:
    ///   - usage: The usage, if the one that the parser generates is too long for a line.
    ///   - subcommands: The verbs of this verb.
    package init(
        verb name: String,
        abstract: String,
        usage: String? = nil,
        discussion: String = "",
        examples: [String],
        subcommands: [any ParsableCommand.Type] = []
    ) {
        let lines = ["Examples:"] + examples.map { "  \($0)" }
        let whereTo = "Options for all verbs: sharedauth help options"
        let paragraphs = [discussion, lines.joined(separator: "\n"), whereTo].filter { !$0.isEmpty }
        self.init(
            commandName: name,
            abstract: abstract,
            usage: usage,
            discussion: paragraphs.joined(separator: "\n\n"),
            subcommands: subcommands
        )
    }
}

extension ArgumentVisibility {
    /// The visibility of the shared options: hidden in a verb's help, shown in its completions.
    package static var ofSharedOptions: ArgumentVisibility {
        let isCompletionScript = ProgramArguments.words.dropFirst().first?.hasPrefix("--generate-completion-script")
        return isCompletionScript == true ? .default : .hidden
    }
}
