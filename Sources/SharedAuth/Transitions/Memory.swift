/// What an `Auth` knows.
struct Memory {
    /// How far the knowledge goes.
    enum Phase {
        /// The first load has not ended.
        case loading
        /// `user` and `revision` say what the slot held when it was last read or written.
        case known
        /// The first load failed; nothing is known of the slot.
        case failed(AuthError)
    }

    /// What has to be noted of the program that keeps the user.
    enum ProviderNote {
        /// Its name, or that there is no user.
        case anew
        /// Its name, if none is noted: the first load of a process finds what another has noted.
        case ifNone
    }

    var phase = Phase.loading
    /// The choice of group as it is stored; nil when it could not be read.
    var choice: GroupChoice? {
        didSet { if choice?.slot != oldValue?.slot { providerNote = .anew } }
    }
    /// The current user.
    var user: User?
    /// The revision that `user` goes with; nil when the slot was empty.
    var revision: Revision?
    /// The ID token of the user announced last.
    var announcedToken: String?
    var tenantID: String?
    /// Whether the app chose the tenant itself; else it follows the user.
    var tenantIsChosen = false

    /// What the end of the operation under way has to note; nil: nothing.
    var providerNote: ProviderNote?

    var isLoading: Bool { if case .loading = phase { true } else { false } }

    var state: AuthState {
        switch phase {
        case .loading: .unknown
        case .known: user.map(AuthState.signedIn) ?? .signedOut
        case .failed(let error): AuthState(error)
        }
    }
}
