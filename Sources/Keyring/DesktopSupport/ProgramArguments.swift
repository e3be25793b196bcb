/// The words that this process was started with: the program's name, and its arguments.
///
/// Swift finds them next to the environment, and loses them if a preloaded library changes a variable before the
/// program starts. The kernel still has them.
package enum ProgramArguments {
    /// The words as bytes; empty if `/proc` cannot be read and Swift has lost them.
    package static let bytes: [[UInt8]] = {
        let found = CommandLine.arguments
        guard let words = read("/proc/self/cmdline") else { return found.map { Array($0.utf8) } }
        // If the dynamic linker was called with the program, the words after its own are the program's.
        let own = words.suffix(found.count)
        return found.isEmpty || !own.elementsEqual(found, by: { String(decoding: $0, as: UTF8.self) == $1 })
            ? words : Array(own)
    }()

    /// The words as text. Bytes that are not UTF-8 are repaired.
    package static let words: [String] = bytes.map { String(decoding: $0, as: UTF8.self) }

    /// Splits a file of words, each of which ends with a NUL.
    private static func read(_ path: String) -> [[UInt8]]? {
        guard let text = contents(ofFile: path), !text.isEmpty else { return nil }
        let words = text.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        return text.last == 0 ? words.dropLast() : words
    }
}
