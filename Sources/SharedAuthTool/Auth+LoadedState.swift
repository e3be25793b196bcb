internal import SharedAuth

extension Auth {
    /// Waits until the first load has ended, well or not, and says what is known then.
    var loadedState: AuthState {
        _ = currentUser
        return state
    }

    /// The access group in use, or nil for the app's own slot, once it is known who is signed in there, or that nobody is.
    ///
    /// - Throws: why neither is known.
    var knownGroup: String? {
        get throws(AuthError) {
            let state = loadedState
            if let failure = state.failure(in: userAccessGroup) { throw failure }
            return userAccessGroup
        }
    }
}
