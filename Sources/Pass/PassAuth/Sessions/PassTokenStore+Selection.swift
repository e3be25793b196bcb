internal import SharedAuth

extension PassTokenStore {
    /// Returns the TV provider of a programmer's apps on this device: the selected one, signed in or not. If none was
    /// selected, it is the one whose token signs the programmer in by single sign-on.
    ///
    /// - Throws: The errors of ``session(of:)``.
    public func selection(of requestor: RequestorConfiguration) throws(PassStoreError) -> MVPDSelection {
        try selection(of: requestor, by: deadline)
    }

    private func selection(
        of requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> MVPDSelection {
        if let chosen = try storedSelection(of: requestor.id, by: deadline) { return chosen }
        let session: PassSession?
        do throws(PassStoreError) {
            session = try self.session(of: requestor, by: deadline)
        } catch {
            // A damaged token selects nothing.
            guard error.isOfOneRecord else { throw error }
            session = nil
        }
        return MVPDSelection(mvpd: session?.token.mvpd, canAuthenticate: session != nil)
    }

    /// Like ``selection(of:)-(RequestorConfiguration)``, for inspection: if nothing was selected, all TV providers of
    /// ``storedIntegrations(of:)`` are considered.
    ///
    /// - Throws: The errors of ``session(of:)``.
    public func selection(of requestor: String) throws(PassStoreError) -> MVPDSelection {
        let deadline = deadline
        if let chosen = try storedSelection(of: requestor, by: deadline) { return chosen }
        let integrations = try storedIntegrations(of: requestor, by: deadline)
        return try selection(of: RequestorConfiguration(id: requestor, integrations: integrations), by: deadline)
    }

    /// Stores the TV provider selected for a programmer; nil removes the selection.
    ///
    /// Tokens stay. With nil the programmer counts as signed out until a TV provider is selected again; a token of that
    /// provider then signs it in. ``MVPDSelection/canAuthenticate`` is false until a sign-in succeeds, so select the TV
    /// provider again also after a failed sign-in.
    /// - Throws: The errors of ``session(of:)``; then nothing changes.
    public func select(_ mvpd: String?, for requestor: String) throws(PassStoreError) {
        let deadline = deadline
        try records.updateIndex(by: deadline) { index in
            index.select(mvpd, canAuthenticate: false, requestor: requestor, by: viewer)
        }
        try updateOwnChoice(mvpd, canAuthenticate: false, of: requestor, by: deadline)
    }

    /// Reads the selection, if there is one.
    private func storedSelection(of requestor: String, by deadline: Deadline) throws(PassStoreError)
        -> MVPDSelection?
    {
        for store in layouts {
            if let chosen = try store.records.index(by: deadline).selection(of: requestor, for: viewer) {
                return MVPDSelection(mvpd: chosen.mvpd, canAuthenticate: chosen.canAuthenticate)
            }
        }
        return nil
    }

    /// Returns a programmer's configuration. If the app's private file has a selection, only the selected TV provider
    /// is left: that selection is the newer one, because a selection in the single slot is also stored in the file.
    func choiceKept(
        by requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> RequestorConfiguration {
        guard let own = perRequestorStore else { return requestor }
        let index: StoreIndex?
        do throws(PassStoreError) {
            index = try own.records.storedIndex(by: deadline)
        } catch {
            guard error.isOfOneRecord else { throw error }
            index = nil
        }
        guard let chosen = index?.selection(of: requestor.id, for: viewer) else { return requestor }
        return RequestorConfiguration(
            id: requestor.id,
            integrations: requestor.integrations.filter { $0.mvpd == chosen.mvpd }
        )
    }

    /// Updates the selection in the app's private file, if it has one.
    func updateOwnChoice(
        _ mvpd: String?,
        canAuthenticate: Bool,
        of requestor: String,
        by deadline: Deadline
    ) throws(PassStoreError) {
        guard let own = perRequestorStore,
            try own.records.storedIndex(by: deadline)?.selection(of: requestor, for: viewer) != nil
        else { return }
        try own.records.updateIndex(by: deadline) { index in
            index.select(mvpd, canAuthenticate: canAuthenticate, requestor: requestor, by: viewer)
        }
    }
}
