internal import GLibSupport

extension SecretService {
    /// Unlocks collections or items, asking the person if need be.
    ///
    /// This is the one call that is meant to take a person's time: give it a deadline to match. Throws `.dismissed` if the
    /// person declined or nobody can be asked, `.locked` if the provider neither unlocked anything nor offered to ask.
    public func unlock(
        _ objects: [any SecretServiceObject],
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) {
        try setLock("Unlock", objects, by: self.deadline(deadline))
    }

    /// Locks collections.
    ///
    /// Throws `.dismissed` if the provider asked and the person declined, `.noSuchCollection` if there was none to lock.
    public func lock(_ collections: [SecretCollection], by deadline: Deadline? = nil) throws(SecretServiceError) {
        try setLock("Lock", collections, by: self.deadline(deadline))
    }

    private func setLock(
        _ member: String,
        _ objects: [any SecretServiceObject],
        by deadline: Deadline
    ) throws(SecretServiceError) {
        guard !objects.isEmpty else { return }
        var paths: [String] = []
        for object in objects {
            paths.append(try Wire.objectPath(object.path))
        }
        let request = try serviceRequest(member, .tuple(.objectPaths(paths)), answer: "(aoo)", mutates: true)
        let answer = try call(request, by: deadline)
        let prompt = answer[1].string
        if prompt != "/" {
            try requireDisplay(for: prompt, member, by: deadline)
            _ = try complete(prompt: prompt, by: deadline)
        } else if answer[0].count == 0 {
            let code: SecretServiceError.Code = member == "Lock" ? .noSuchCollection : .locked
            throw SecretServiceError(
                code: code,
                message: "\(member) on \(paths.joined(separator: ", ")): the provider did nothing. "
                    + "Check that the object exists."
            )
        }
    }
}
