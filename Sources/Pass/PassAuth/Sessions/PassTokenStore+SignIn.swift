internal import SharedAuth

extension PassTokenStore {
    /// Signs a programmer in with a token, in every app of the group, and selects its TV provider.
    ///
    /// The cache of a session that the token replaces is deleted. In ``StorageGeneration/singleSlot``, the token of a
    /// TV provider that requires one for each programmer is stored in a private file of the app, and the slot is left
    /// unchanged.
    /// - Throws: ``PassStoreError`` with code `invalidToken` for a token that is not valid now on this device, or that
    ///   belongs to another programmer and is not shared; `full` for a token that no keyring can hold; or the errors of
    ///   ``session(of:)``. The sign-in has no effect then, except that in ``StorageGeneration/singleSlot`` the slot may
    ///   already hold the token. A damaged index is set aside and does not prevent the sign-in.
    @discardableResult
    public func signIn(
        _ token: AuthenticationToken,
        for requestor: RequestorConfiguration
    ) throws(PassStoreError) -> PassSession {
        try signIn(token, for: requestor, by: deadline)
    }

    func signIn(
        _ token: AuthenticationToken,
        for requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> PassSession {
        if let own = ownFile(for: token, requestor) { return try own.signIn(token, for: requestor, by: deadline) }
        try check(token, for: requestor)
        let bucket = bucket(of: token)
        // Remembered first, so that the next log-out finds every stored token.
        try records.remember(bucket, by: deadline)
        let wasDamaged = try records.updateIndexEvenIfDamaged(by: deadline) { index, _ in index.announce(bucket) }
        let session = try records.updateIndex(by: deadline) { index throws(PassStoreError) in
            try enter(token, for: requestor, in: &index, by: deadline)
        }
        sweep(StoreIndex.places(of: bucket) + (wasDamaged ? places(of: requestor) : []), by: deadline)
        try updateOwnChoice(token.mvpd, canAuthenticate: true, of: requestor.id, by: deadline)
        return session
    }

    /// Returns the app's private file, if a token belongs there instead of in the slot of this layout.
    func ownFile(for token: AuthenticationToken, _ requestor: RequestorConfiguration) -> PassTokenStore? {
        requestor.integration(with: token.mvpd)?.isPerRequestor == true ? perRequestorStore : nil
    }

    /// Throws `invalidToken` if this store's device may not use a token for a programmer now.
    func check(_ token: AuthenticationToken, for requestor: RequestorConfiguration) throws(PassStoreError) {
        if let flaw = verdict(on: token, for: requestor).flaw { throw .refused(flaw) }
    }

    /// Writes a token's bucket and lists it. The sign-in takes effect when the index is written.
    func enter(
        _ token: AuthenticationToken,
        for requestor: RequestorConfiguration,
        in index: inout StoreIndex,
        by deadline: Deadline
    ) throws(PassStoreError) -> PassSession {
        let bucket = bucket(of: token)
        if index.keeps(token, in: bucket, from: requestor.id) { throw .refused("its programmer does not share it") }
        let entry = index.enter(
            token,
            isShared: requestor.integration(with: token.mvpd)?.isShared == true,
            in: bucket,
            at: index.freePlace(in: bucket)
        )
        index.select(token.mvpd, canAuthenticate: true, requestor: requestor.id, by: viewer)
        let content = Bucket(epoch: index.epoch, number: entry.number, token: token.serialized)
        try records.update(records.key(entry.place), by: deadline, ifDamaged: .discard, readAs: .unreadable) {
            (stored: inout Bucket?) in
            // Pages that are left there are void, and swept with the place.
            let left = stored?.pages
            stored = content
            stored?.pages = left
        }
        return session(of: requestor, token, entry, epoch: index.epoch)
    }

    /// Returns the bucket for a token. Apps that ignore each other's tokens do not overwrite them either.
    func bucket(of token: AuthenticationToken) -> String {
        let isCommon = token.profileClient == nil || profileClients() == .any
        return bucket(
            requestor: token.requestor,
            mvpd: token.mvpd,
            fingerprint: token.fingerprint,
            app: isCommon ? nil : appID
        )
    }

    /// Returns the places of a programmer's own tokens for this device, whether an index lists them or not.
    func places(of requestor: RequestorConfiguration) -> [String] {
        let buckets = requestor.mvpds.flatMap { mvpd in
            [nil, appID].map { app in
                bucket(requestor: requestor.id, mvpd: mvpd, fingerprint: device.fingerprint, app: app)
            }
        }
        return Set(buckets).flatMap(StoreIndex.places)
    }

    private func bucket(requestor: String, mvpd: String, fingerprint: String, app: String?) -> String {
        let device = options.mismatchPolicy == .ignore ? fingerprint : ""
        let parts = options.generation.bucket(requestor: requestor, mvpd: mvpd, device: device, app: app)
        return StoreIndex.bucket(named: parts)
    }
}

extension PassStoreError {
    fileprivate static func refused(_ flaw: String) -> PassStoreError {
        PassStoreError(.invalidToken, "The token cannot be stored: \(flaw).")
    }
}

extension TokenVerdict {
    /// The reason why a token is refused; nil for a valid token.
    fileprivate var flaw: String? {
        switch content {
        case .valid: nil
        case .expired: "it has expired"
        case .foreignDevice: "it was issued to another device"
        case .issuerNotAllowed: "the programmer does not work with its TV provider"
        case .otherRequestor: "it was issued to another programmer, and is not shared"
        case .badSignature: "its signature is wrong"
        }
    }
}
