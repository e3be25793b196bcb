extension Unicode.Scalar {
    /// Whether a terminal or a text field acts on the character instead of showing it: control characters, line and paragraph
    /// separators, and format characters, which reverse or hide what stands around them. The two joiners are not among
    /// these, as words of several scripts and emoji are written with them.
    package var isDisplayControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}
