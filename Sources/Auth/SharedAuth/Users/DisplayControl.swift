extension Unicode.Scalar {
    /// Indicates whether a terminal or a text field interprets the character instead of displaying it: control
    /// characters, line and paragraph separators, and format characters, which reverse or hide adjacent text. False for
    /// the zero-width joiner and non-joiner, which emoji and words of several scripts contain.
    package var isDisplayControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}
