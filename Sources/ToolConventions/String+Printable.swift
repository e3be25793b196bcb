extension String {
    /// The text on one line, without what a terminal would obey: servers and other apps chose it.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text += "?"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
