extension Duration {
    /// Rounded up, and cut at some three weeks so that milliseconds fit GLib's 32-bit timeouts.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000_000 }
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }

    /// Rounded up, and cut at some three weeks.
    package var wholeMilliseconds: Int32 {
        Int32((wholeMicroseconds + 999) / 1000)
    }
}
