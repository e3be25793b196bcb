package import ArgumentParser

extension CommandConfiguration {
    /// How a verb is called, and its help: what it does, examples, and where the options are that every verb has.
    ///
    /// - Parameter usage: how it is called, where what the parser makes of its options is too long for a line.
    package init(
        verb name: String,
        abstract: String,
        usage: String? = nil,
        discussion: String = "",
        examples: [String]
    ) {
        let lines = ["Examples:"] + examples.map { "  \($0)" }
        let whereTo = "Options for all verbs: sharedauth help options"
        let paragraphs = [discussion, lines.joined(separator: "\n"), whereTo].filter { !$0.isEmpty }
        self.init(
            commandName: name,
            abstract: abstract,
            usage: usage,
            discussion: paragraphs.joined(separator: "\n\n")
        )
    }
}

extension ArgumentVisibility {
    /// For options that every verb has: in no verb's help, but in its completions.
    package static var ofSharedOptions: ArgumentVisibility {
        let isCompletionScript = CommandLine.arguments.dropFirst().first?.hasPrefix("--generate-completion-script")
        return isCompletionScript == true ? .default : .hidden
    }
}
