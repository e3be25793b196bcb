internal import Glibc

extension StoreDirectory {
    /// Where a file is written before it takes its place. One name is enough: whoever writes holds the file's lock.
    private static func temporary(_ name: String) -> String { name + temporarySuffix }

    private static let temporarySuffix = ".new"

    /// The names of the files that somebody is writing now, or died while he wrote.
    func leftovers() throws(RecordStoreError) -> [String] {
        try names().filter { $0.hasSuffix(Self.temporarySuffix) }.map {
            String($0.dropLast(Self.temporarySuffix.count))
        }
    }

    /// Removes what a process left that died in mid-write. The caller holds the file's lock.
    func sweep(_ name: String) throws(RecordStoreError) {
        let leftover = Self.temporary(name)
        if try identity(of: leftover) != nil { try remove(leftover) }
    }

    /// Puts these bytes in the place of a file in one step; when it returns, they are on the disk.
    ///
    /// - Parameter aside: another name for what is there now, which is then kept.
    /// - Throws: an error with a known outcome, up to the step that puts them there; after it, the outcome is unknown.
    func replace(_ name: String, with bytes: [UInt8], keeping aside: String? = nil) throws(RecordStoreError) {
        let temporary = Self.temporary(name)
        do throws(SystemError) {
            try SmallFile.write(bytes, to: temporary, in: descriptor, durably: true, steps)
            if let aside { try keep(name, as: aside) }
            do throws(SystemError) {
                try steps.perform(.rename) { unsafe renameat(descriptor, temporary, descriptor, name) }
            } catch {
                if let aside { putBack(aside, to: name) }
                throw error
            }
        } catch {
            // Not a step of its own: if it does not succeed, the next write does it.
            _ = unsafe unlinkat(descriptor, temporary, 0)
            throw RecordStoreError(error, "There is no way to write", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Removes a file; when it returns, it is gone from the disk.
    func remove(_ name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.unlink) { unsafe unlinkat(descriptor, name, 0) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "There is no way to remove", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Moves whatever is under a name to another one.
    func move(_ name: String, to aside: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "There is no way to set aside", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Gives what is under a name a second one, so that the first is empty at no instant.
    private func keep(_ name: String, as aside: String) throws(SystemError) {
        do throws(SystemError) {
            try steps.perform(.link) { unsafe linkat(descriptor, name, descriptor, aside, 0) }
        } catch {
            switch error.number {
            case ENOENT:
                return
            case EPERM, ENOTSUP, ENOSYS, EMLINK:
                // A directory has one name, and so have files on some file systems: a peer may look in between.
                try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
            default:
                throw error
            }
        }
    }

    /// Takes back what `keep` did.
    private func putBack(_ aside: String, to name: String) {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            unsafe unlinkat(descriptor, aside, 0)
        } else {
            unsafe renameat(descriptor, aside, descriptor, name)
        }
    }

    private func syncNames(after name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.syncDirectory) { fsync(descriptor) }
        } catch {
            throw RecordStoreError(
                error,
                "Whether the change is on the disk is unknown of",
                "\(path)/\(name)",
                outcomeIsUnknown: true
            )
        }
    }
}
