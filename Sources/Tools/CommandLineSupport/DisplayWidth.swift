internal import Glibc

extension String {
    /// The number of terminal columns that the text occupies.
    package var displayWidth: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

    /// Returns the text in at most `width` columns. An ellipsis replaces the middle of a longer text.
    package func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        let room = width - 1
        var (start, end) = ("", "")
        var (first, last) = (startIndex, endIndex)
        // Take characters from both ends in turn while they fit.
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

    /// Returns the text padded to `width` columns. A longer text is returned unchanged.
    package func padded(to width: Int, alignedRight: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - displayWidth))
        return alignedRight ? padding + self : self + padding
    }
}

extension Unicode.Scalar {
    /// The number of columns: two for ideographs, kana, hangul, full-width forms and emoji, zero for characters that
    /// combine with the preceding one.
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
    /// The number of columns of the terminal that shows the output; nil if the output is not a terminal.
    package static var terminalWidth: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
