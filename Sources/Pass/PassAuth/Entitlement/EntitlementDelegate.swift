public import Formats

/// Receives the results of an ``AccessEnabler``: one call at a time and in order, on the executor of the listeners.
///
/// The signatures are those of Adobe's protocol in Swift. All methods are required, except those marked optional.
public protocol EntitlementDelegate: AnyObject, Sendable {
    /// A `setRequestor` call has ended; called once for each: 1 for success, 0 for failure.
    func setRequestorComplete(_ status: Int)
    /// Shows a picker; the app responds with `setSelectedProvider`.
    func displayProviderDialog(_ mvpds: [MVPD])
    /// Shows this page; the app responds with `handleExternalURL` or `setSelectedProvider(nil)`.
    func navigate(toUrl url: String)
    /// Like ``navigate(toUrl:)``, if a secure browser is required and the app has said that it shows one itself.
    /// Optional.
    func navigate(toUrl url: String, useSVC: Bool)
    /// Reports whether a user is signed in: 1 and an empty text, or 0 and an error string.
    func setAuthenticationStatus(_ status: Int, errorCode: String)
    /// A resource may be played; the token is the media token, as received.
    func setToken(_ token: String, forResource resource: String)
    /// A resource may not be played; with an error string, and the TV provider's message, the library's, or an empty
    /// text.
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String)
    /// Delivers the resources that are permitted; nil if the request failed.
    func preauthorizedResources(_ resources: [String]?)
    /// Delivers the selected TV provider, or nil.
    func selectedProvider(_ mvpd: MVPD?)
    /// Delivers the metadata requested by `getMetadata`, or nil. The key is one of Adobe's operation codes, and the
    /// arguments are those of the request.
    func setMetadataStatus(
        _ metadata: JSONValue?,
        encrypted: Bool,
        forKey key: Int,
        andArguments arguments: [String: String]
    )
    /// Delivers an event for usage tracking. Optional.
    func sendTrackingData(_ data: [String], forEventType event: Int)
    /// Shows the picker of a platform sign-in; never called on Linux, which has none. Optional.
    func presentTvProviderDialog()
    /// Closes that picker; never called on Linux. Optional.
    func dismissTvProviderDialog()
}

extension EntitlementDelegate {
    /// Shows the page without a secure browser.
    public func navigate(toUrl url: String, useSVC: Bool) { navigate(toUrl: url) }
    /// Does nothing.
    public func sendTrackingData(_ data: [String], forEventType event: Int) {}
    /// Does nothing.
    public func presentTvProviderDialog() {}
    /// Does nothing.
    public func dismissTvProviderDialog() {}
}

/// Receives the reports of the advanced error reporting; a delegate of an ``AccessEnabler`` must implement it.
public protocol EntitlementStatus: AnyObject, Sendable {
    /// Delivers a report in Adobe's form; see ``StatusReport/dictionary``.
    func status(_ statusDictionary: [String: String])
}
