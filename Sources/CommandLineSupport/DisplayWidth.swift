internal import Glibc

extension String {
    /// How many columns of a terminal the text takes.
    package var displayWidth: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

    /// The text in so many columns at most: where it is longer, an ellipsis stands for its middle.
    package func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        let room = width - 1
        var (start, end) = ("", "")
        var (first, last) = (startIndex, endIndex)
        // From both sides in turn, as long as there is room for another character.
        while first < last {
            let next = String(self[first])
            guard (start + next + end).displayWidth <= room else { break }
            start += next
            first = index(after: first)
            guard first < last else { break }
            let previous = String(self[index(before: last)])
            guard (start + previous + end).displayWidth <= room else { break }
            end = previous + end
            last = index(before: last)
        }
        return start + "…" + end
    }

    /// The text in exactly so many columns, if it is not longer.
    package func padded(to width: Int, alignedRight: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - displayWidth))
        return alignedRight ? padding + self : self + padding
    }
}

extension Unicode.Scalar {
    /// Two for ideographs, kana, hangul, full-width forms and emoji, none for what combines with the character before.
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}

extension StandardOutput {
    /// How many columns the terminal has that reads the answers; nil if something else reads them.
    package static var terminalWidth: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
