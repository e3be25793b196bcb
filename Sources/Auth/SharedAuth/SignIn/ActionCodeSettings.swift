public import FoundationEssentials
internal import Synchronization

/// The settings of an e-mailed link: its target, and how apps open it (Firebase: `ActionCodeSettings`).
public final class ActionCodeSettings: Sendable {
    private let members: Mutex<Members>

    private struct Members {
        var url: URL?
        var handleCodeInApp: Bool
        var linkDomain: String?
        var iOSBundleID: String?
        var androidPackageName: String?
        var androidInstallIfNotAvailable = false
        var androidMinimumVersion: String?
    }

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - url: The page that the user continues to after the operation.
    ///   - handleCodeInApp: Whether the app handles the code, instead of a page of the identity provider.
    ///   - linkDomain: The domain of the link.
    public init(url: URL? = nil, handleCodeInApp: Bool = false, linkDomain: String? = nil) {
        members = Mutex(Members(url: url, handleCodeInApp: handleCodeInApp, linkDomain: linkDomain))
    }

    /// The page that the user continues to after the operation.
    public var url: URL? {
        get { members.withLock { $0.url } }
        set { members.withLock { $0.url = newValue } }
    }

    /// Indicates whether the app handles the code, instead of a page of the identity provider.
    public var handleCodeInApp: Bool {
        get { members.withLock { $0.handleCodeInApp } }
        set { members.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The domain of the link.
    public var linkDomain: String? {
        get { members.withLock { $0.linkDomain } }
        set { members.withLock { $0.linkDomain = newValue } }
    }

    /// The bundle ID of the app that the link opens on an iPhone.
    public var iOSBundleID: String? {
        get { members.withLock { $0.iOSBundleID } }
        set { members.withLock { $0.iOSBundleID = newValue } }
    }

    /// The package name of the app that the link opens on an Android phone.
    public var androidPackageName: String? {
        get { members.withLock { $0.androidPackageName } }
        set { members.withLock { $0.androidPackageName = newValue } }
    }

    /// Indicates whether an Android phone offers to install that app.
    public var androidInstallIfNotAvailable: Bool {
        get { members.withLock { $0.androidInstallIfNotAvailable } }
        set { members.withLock { $0.androidInstallIfNotAvailable = newValue } }
    }

    /// The oldest version of that app that supports such links.
    public var androidMinimumVersion: String? {
        get { members.withLock { $0.androidMinimumVersion } }
        set { members.withLock { $0.androidMinimumVersion = newValue } }
    }

    /// Sets ``iOSBundleID``.
    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

    /// Sets the app that the link opens on an Android phone.
    ///
    /// - Parameters:
    ///   - androidPackageName: The package name of the app.
    ///   - installIfNotAvailable: Whether the phone offers to install the app.
    ///   - minimumVersion: The oldest version of the app that supports such links.
    public func setAndroidPackageName(
        _ androidPackageName: String,
        installIfNotAvailable: Bool,
        minimumVersion: String?
    ) {
        members.withLock { members in
            members.androidPackageName = androidPackageName
            members.androidInstallIfNotAvailable = installIfNotAvailable
            members.androidMinimumVersion = minimumVersion
        }
    }
}
