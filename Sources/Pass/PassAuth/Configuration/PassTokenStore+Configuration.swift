internal import SharedAuth

extension PassTokenStore {
    /// Prepares the store for a programmer, as `setRequestor` does.
    ///
    /// The steps are: the integrity check; the import of a token of an earlier layout, subject to
    /// ``Options/importCondition``; the deletion of tokens that have been expired for 30 days, and of other devices'
    /// tokens as ``Options/mismatchPolicy`` determines; the deletion of records left by an interrupted log-out. A
    /// second configuration without changes writes nothing, except for the integrity check: ``IntegrityCheck/all``
    /// writes and deletes a test record, and ``IntegrityCheck/clear`` clears the store again.
    /// - Throws: The errors of ``session(of:)``; the completed steps stay done, and configuring again does the rest.
    public func configure(_ requestor: RequestorConfiguration) throws(PassStoreError) -> ConfigurationReport {
        let deadline = deadline
        return try prepare(for: requestor, after: try checkIntegrity(for: requestor, by: deadline), by: deadline)
    }

    /// Runs the configuration after the integrity check.
    func prepare(
        for requestor: RequestorConfiguration,
        after integrity: IntegrityFinding,
        by deadline: Deadline
    ) throws(PassStoreError) -> ConfigurationReport {
        let hasImported = try importToken(for: requestor, by: deadline)
        var (expired, foreign) = (0, 0)
        for store in layouts {
            let left = try store.sanitize(by: deadline)
            (expired, foreign) = (expired + left.expired, foreign + left.foreign)
            try store.finishSweeping(by: deadline)
        }
        let session = try session(of: requestor, by: deadline)
        return ConfigurationReport(
            session: session,
            passiveMVPDs: session == nil ? try passiveMVPDs(of: requestor, by: deadline) : [],
            hasImported: hasImported,
            expiredTokens: expired,
            foreignTokens: foreign,
            unreadableTokens: integrity.unreadable,
            hasCleared: integrity.hasCleared
        )
    }

    /// Deletes records left by an interrupted log-out, and those just removed from the index.
    private func finishSweeping(by deadline: Deadline) throws(PassStoreError) {
        let index = try records.index(by: deadline)
        if index.isSweepDue == true {
            sweepAfterLogOut(by: deadline)
        } else if index.needsSweeping {
            sweep(nil, by: deadline)
        }
    }

    // MARK: Importer

    private func importToken(
        for requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> Bool {
        if options.generation.earlier.isEmpty { return false }
        let name = "\(appID) \(requestor.id)"
        let index = try records.index(by: deadline)
        if !mayImport(name, index) { return false }
        var token: AuthenticationToken?
        if try session(of: requestor, in: index, by: deadline) == nil {
            token = try earlierToken(for: requestor, in: index, by: deadline)
        }
        let bucket = token.map(bucket)
        if let bucket {
            try records.remember(bucket, by: deadline)
            try records.updateIndex(by: deadline) { $0.announce(bucket) }
        }
        // One write lists the token and notes the import, so an interrupted import has no effect and is repeated.
        return try records.updateIndex(by: deadline) { index throws(PassStoreError) in
            if !mayImport(name, index) { return false }
            if options.importCondition == .once { index.noteImport(name) }
            guard let token, let bucket, index.admits(token.mvpd, for: requestor.id, to: viewer),
                !index.keeps(token, in: bucket, from: requestor.id),
                try session(of: requestor, in: index, by: deadline) == nil
            else { return false }
            _ = try enter(token, for: requestor, in: &index, by: deadline)
            index.noteImport(of: token)
            return true
        }
    }

    /// Returns whether an app may import a token for a programmer, if there is one.
    private func mayImport(_ name: String, _ index: StoreIndex) -> Bool {
        switch options.importCondition {
        case .once: !index.imports.contains(name) && !index.hasLoggedOut
        case .noValidToken: true
        }
    }

    /// Returns the token of the latest layout that has one admitted by the programmer's selection.
    private func earlierToken(
        for requestor: RequestorConfiguration,
        in index: StoreIndex,
        by deadline: Deadline
    ) throws(PassStoreError) -> AuthenticationToken? {
        for generation in options.generation.earlier {
            do throws(PassStoreError) {
                if let token = try earlier(generation).session(of: requestor, by: deadline)?.token,
                    !index.hasImported(token), index.admits(token.mvpd, for: requestor.id, to: viewer)
                {
                    return token
                }
            } catch {
                // An unreadable record of an earlier layout must not stop this one from working.
                guard error.code == .damaged || error.code == .newerSchema else { throw error }
            }
        }
        return nil
    }

    // MARK: Sanitizer

    private func sanitize(by deadline: Deadline) throws(PassStoreError) -> (expired: Int, foreign: Int) {
        let (own, date) = (device.fingerprint, options.now())
        return try records.updateIndex(by: deadline) { index in
            let expired = index.removeEntries { Expiry.isLongPast($0.expires, at: date) }
            switch options.mismatchPolicy {
            case .ignore, .off:
                return (expired, 0)
            case .sanitize:
                return (expired, index.removeEntries { $0.device != own })
            case .erase:
                index.removeSelections(exceptOn: own)
                return (expired, index.removeEntries { $0.device != own })
            }
        }
    }

    // MARK: Passive sign-in

    private func passiveMVPDs(
        of requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> [String] {
        let (viewer, date) = (viewer, options.now())
        var tried: Set<String> = []
        for store in layouts {
            let index = try store.records.index(by: deadline)
            tried.formUnion(
                requestor.mvpds.filter { mvpd in
                    index.admits(mvpd, for: requestor.id, to: viewer)
                        && index.entries.contains {
                            $0.mvpd == mvpd && $0.requestor != requestor.id && date < $0.expires
                                && (options.mismatchPolicy == .off || $0.device == viewer.device)
                        }
                }
            )
        }
        return requestor.integrations.filter { $0.isPerRequestor && $0.isPassive && tried.contains($0.mvpd) }.map(
            \.mvpd
        )
    }
}

/// The results of a programmer's configuration in the store.
public struct ConfigurationReport: Sendable, Hashable {
    /// The current session; nil if the programmer is signed out.
    public let session: PassSession?
    /// The TV providers with which a passive sign-in may succeed: each requires a token for every programmer, and
    /// another programmer of the store has one.
    public let passiveMVPDs: [String]
    /// Indicates whether a token was imported from an earlier layout.
    public let hasImported: Bool
    /// The number of tokens deleted because they had been expired for 30 days.
    public let expiredTokens: Int
    /// The number of deleted tokens of other devices; if there were any, Pass reports `SEC412`.
    public let foreignTokens: Int
    /// The tokens that the integrity check could not read. Damaged ones were deleted; those of a newer version of the
    /// library stay.
    public let unreadableTokens: [UnreadableToken]
    /// Indicates whether the integrity check cleared the store.
    public let hasCleared: Bool
}
