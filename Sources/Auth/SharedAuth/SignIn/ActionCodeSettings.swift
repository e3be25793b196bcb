public import FoundationEssentials
internal import Synchronization

/// Where the link of a mail leads (Firebase: `ActionCodeSettings`).
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

    /// Makes settings.
    public init(url: URL? = nil, handleCodeInApp: Bool = false, linkDomain: String? = nil) {
        members = Mutex(Members(url: url, handleCodeInApp: handleCodeInApp, linkDomain: linkDomain))
    }

    /// The page that the link leads to in the end.
    public var url: URL? {
        get { members.withLock { $0.url } }
        set { members.withLock { $0.url = newValue } }
    }

    /// Whether the code is for the app, not for a page of the identity provider.
    public var handleCodeInApp: Bool {
        get { members.withLock { $0.handleCodeInApp } }
        set { members.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The domain that the link is to have.
    public var linkDomain: String? {
        get { members.withLock { $0.linkDomain } }
        set { members.withLock { $0.linkDomain = newValue } }
    }

    /// The bundle id of the app that the link opens on an iPhone.
    public var iOSBundleID: String? {
        get { members.withLock { $0.iOSBundleID } }
        set { members.withLock { $0.iOSBundleID = newValue } }
    }

    /// The package name of the app that the link opens on an Android phone.
    public var androidPackageName: String? {
        get { members.withLock { $0.androidPackageName } }
        set { members.withLock { $0.androidPackageName = newValue } }
    }

    /// Whether a phone offers to install that app.
    public var androidInstallIfNotAvailable: Bool {
        get { members.withLock { $0.androidInstallIfNotAvailable } }
        set { members.withLock { $0.androidInstallIfNotAvailable = newValue } }
    }

    /// The oldest version of that app that knows such links.
    public var androidMinimumVersion: String? {
        get { members.withLock { $0.androidMinimumVersion } }
        set { members.withLock { $0.androidMinimumVersion = newValue } }
    }

    /// Sets ``iOSBundleID``.
    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

    /// Sets what the link does on an Android phone.
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
