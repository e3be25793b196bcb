internal import SharedAuth

extension String {
    /// The text on one line, without what a terminal would obey: servers and other apps chose it. What is invisible but
    /// belongs to how a word is written, such as a joiner, stays.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isDisplayControl { text += "?" } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
