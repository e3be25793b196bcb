internal import SharedAuth

extension PassTokenStore {
    /// The TV provider that a programmer's apps on this device are with: the one that was chosen, signed in or not;
    /// where none was, the one whose token signs the programmer in by single sign-on.
    ///
    /// - Throws: as ``session(of:)``.
    public func selection(of requestor: RequestorConfiguration) throws(PassStoreError) -> MVPDSelection {
        let deadline = deadline
        if let chosen = try storedSelection(of: requestor.id, by: deadline) { return chosen }
        let session: PassSession?
        do throws(PassStoreError) {
            session = try self.session(of: requestor, by: deadline)
        } catch {
            // A damaged token chooses nothing.
            guard error.isOfOneRecord else { throw error }
            session = nil
        }
        return MVPDSelection(mvpd: session?.token.mvpd, canAuthenticate: session != nil)
    }

    /// As ``selection(of:)-(RequestorConfiguration)``, for looking around: where nothing was chosen, every TV provider
    /// counts that ``storedIntegrations(of:)`` knows.
    ///
    /// - Throws: as ``session(of:)``.
    public func selection(of requestor: String) throws(PassStoreError) -> MVPDSelection {
        if let chosen = try storedSelection(of: requestor, by: deadline) { return chosen }
        let integrations = try storedIntegrations(of: requestor)
        return try selection(of: RequestorConfiguration(id: requestor, integrations: integrations))
    }

    /// Notes which TV provider a programmer is with from now on, or with nil that the choice was taken back.
    ///
    /// Tokens stay. With nil the programmer counts as signed out until a TV provider is chosen again; a token of that
    /// one then signs it in. Until a sign-in goes well, ``MVPDSelection/canAuthenticate`` is off; so choosing the
    /// TV provider again is also what to do when a sign-in failed.
    /// - Throws: as ``session(of:)``, and nothing changes.
    public func select(_ mvpd: String?, for requestor: String) throws(PassStoreError) {
        let deadline = deadline
        try records.updateIndex(by: deadline) { index in
            index.select(mvpd, canAuthenticate: false, requestor: requestor, by: viewer)
        }
        try updateOwnChoice(mvpd, canAuthenticate: false, of: requestor, by: deadline)
    }

    /// Reads the choice, if there is one.
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

    /// A programmer's configuration, with no TV providers but the chosen one where the app's own file knows of a
    /// choice: that file's choice is the newer one, as a choice in the single slot is noted there too.
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

    /// Brings the choice that the app's own file knows of up to date, if it knows of one.
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
