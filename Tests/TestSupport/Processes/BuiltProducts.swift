/// The executables that were built together with the tests.
package enum BuiltProducts {
    /// The path of an executable target's product.
    package static func executable(_ name: String) throws -> String {
        let here = UInt(bitPattern: #dsohandle)
        for line in try Files.read("/proc/self/maps").split(separator: "\n") {
            // start-end permissions offset device inode path
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields.count == 6, bounds.count == 2, (bounds[0]..<bounds[1]).contains(here) else { continue }
            let folder = fields[5].drop { $0 == " " }.split(separator: "/").dropLast()
            return "/" + (folder + [name[...]]).joined(separator: "/")
        }
        throw PrivateKeyringError("the test bundle cannot be found")
    }
}
