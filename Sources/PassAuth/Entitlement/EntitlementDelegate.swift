/// Hears from an ``AccessEnabler``: one call at a time and in order, on the executor of the listeners.
///
/// The signatures are those that Swift apps have of Adobe's protocol. All but the optional ones must be there.
public protocol EntitlementDelegate: AnyObject, Sendable {
    /// A `setRequestor` has ended, once for each: 1 for success, 0 for failure.
    func setRequestorComplete(_ status: Int)
    /// The app is to show a picker, and to answer with `setSelectedProvider`.
    func displayProviderDialog(_ mvpds: [MVPD])
    /// The app is to show this page, and to answer with `handleExternalURL` or `setSelectedProvider(nil)`.
    func navigate(toUrl url: String)
    /// As ``navigate(toUrl:)``, where a secure browser is demanded and the app said that it shows one itself. Optional.
    func navigate(toUrl url: String, useSVC: Bool)
    /// Whether somebody is signed in: 1 and an empty text, or 0 and an error string.
    func setAuthenticationStatus(_ status: Int, errorCode: String)
    /// A resource may be played: its media token, as received.
    func setToken(_ token: String, forResource resource: String)
    /// A resource may not be played: an error string, and the TV provider's words or an empty text.
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String)
    /// Those of the resources that are permitted; nil when the question failed.
    func preauthorizedResources(_ resources: [String]?)
    /// The TV provider that is chosen; nil for none.
    func selectedProvider(_ mvpd: MVPD?)
    /// Brings the metadata that `getMetadata` asked for; nil for none. The key is one of Adobe's operation codes, and
    /// the arguments are those that it was asked with.
    func setMetadataStatus(
        _ metadata: MetadataValue?,
        encrypted: Bool,
        forKey key: Int,
        andArguments arguments: [String: String]
    )
    /// Something to count. Optional.
    func sendTrackingData(_ data: [String], forEventType event: Int)
    /// The picker of a platform's sign-in; never called on Linux, which has none. Optional.
    func presentTvProviderDialog()
    /// The end of that picker; never called on Linux. Optional.
    func dismissTvProviderDialog()
}

extension EntitlementDelegate {
    /// The page, as without a secure browser.
    public func navigate(toUrl url: String, useSVC: Bool) { navigate(toUrl: url) }
    /// Nothing.
    public func sendTrackingData(_ data: [String], forEventType event: Int) {}
    /// Nothing.
    public func presentTvProviderDialog() {}
    /// Nothing.
    public func dismissTvProviderDialog() {}
}

/// Hears the advanced error reporting; a delegate of an ``AccessEnabler`` has to have it.
public protocol EntitlementStatus: AnyObject, Sendable {
    /// A report, under Adobe's names; see ``StatusReport/dictionary``.
    func status(_ statusDictionary: [String: String])
}
