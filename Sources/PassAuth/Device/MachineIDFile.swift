internal import Glibc

/// A file that holds a machine's id.
enum MachineIDFile {
    /// The 128 bits, or nil when the file holds none.
    static func read(_ path: String) -> [UInt8]? {
        // Not to wait for a writer, should somebody have put a pipe there.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var content = [UInt8](repeating: 0, count: 64)
        let count = unsafe content.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let line = content.prefix(count).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = line.first, line.dropFirst().allSatisfy(\.isEmpty) else { return nil }
        return bytes(ofHexadecimal: first)
    }

    /// The bytes of 32 hexadecimal digits; nil for anything else, and when all are zero.
    static func bytes(ofHexadecimal digits: some Collection<UInt8>) -> [UInt8]? {
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 32, values.count == 32, values.contains(where: { $0 != 0 }) else { return nil }
        return stride(from: 0, to: 32, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
