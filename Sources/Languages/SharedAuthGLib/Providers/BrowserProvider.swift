internal import BrowserSignIn
internal import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The core of an identity provider at which users sign in in the browser.
class BrowserProviderCore: ProviderCore, @unchecked Sendable {
    private let redirectState = Mutex(State())

    /// Shared by all sign-ins, whose redirects can be passed on by hand.
    private let shared = BrowserSettings()

    private struct State {
        var settings = RedirectSettings()
        /// The redirect URI of the last sign-in, as it is registered.
        var lastURI: String?
        var object: WeakReference?
    }

    /// The settings of redirects.
    var redirect: RedirectSettings { redirectState.withLock { $0.settings } }

    /// The properties of redirects. Each class has those that its servers know.
    enum RedirectProperty: guint, CaseIterable {
        case uri = 101
        case path, port, host, parameters, pageTitle, pageMessage

        var name: String {
            switch self {
            case .uri: "redirect-uri"
            case .path: "redirect-path"
            case .port: "redirect-port"
            case .host: "redirect-host"
            case .parameters: "parameters"
            case .pageTitle: "page-title"
            case .pageMessage: "page-message"
            }
        }

        fileprivate func specification(_ flags: GParamFlags) -> UnsafeMutablePointer<GParamSpec>? {
            let name = unsafe g_intern_string(name)!
            return switch self {
            case .port: unsafe g_param_spec_uint(name, nil, nil, 0, 65535, 0, flags)
            case .parameters: unsafe shared_auth_glue_strings(name, flags)
            default: unsafe shared_auth_glue_string(name, flags)
            }
        }
    }

    /// Installs properties of redirects in a class.
    ///
    /// - Parameter hasOwnScheme: True if sign-ins can return to an address of the app's own scheme.
    static func installRedirects(
        _ properties: [RedirectProperty] = RedirectProperty.allCases,
        hasOwnScheme: Bool = true,
        in klass: gpointer?
    ) {
        let klass = unsafe klass!.assumingMemoryBound(to: GObjectClass.self)
        for property in properties {
            let flags =
                switch property {
                case .uri where hasOwnScheme: shared_auth_glue_construct_only_notified()
                case .uri: shared_auth_glue_readable()
                default: shared_auth_glue_construct_only()
                }
            unsafe g_object_class_install_property(klass, property.rawValue, property.specification(flags))
        }
    }

    /// Returns the settings of a sign-in in the browser.
    ///
    /// - Throws: `operationNotAllowed` if the host of redirects is not this machine.
    func browser() throws(AuthError) -> BrowserSettings {
        var browser = try redirect.settings(of: shared)
        browser.listening = { [weak self] in self?.note($0) }
        return browser
    }

    override func handle(redirect address: String) throws(AuthError) { try shared.handle(redirect: address) }

    override func handle(uri: String) throws(AuthError) {
        guard redirect.uri != nil else {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider's sign-ins do not return to an address of the app's own scheme.",
                remedy: "Create the identity provider with redirect-uri."
            )
        }
        try shared.handle(redirect: uri)
    }

    override func constructed(_ object: UnsafeMutableRawPointer) {
        let weak = unsafe WeakReference(object)
        redirectState.withLock { $0.object = weak }
    }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        let (settings, lastURI) = redirectState.withLock { ($0.settings, $0.lastURI) }
        switch RedirectProperty(rawValue: property) {
        case .uri: unsafe g_value_set_string(value, settings.registeredURI ?? lastURI)
        case .path: unsafe g_value_set_string(value, settings.path)
        case .port: unsafe g_value_set_uint(value, settings.port)
        case .host: unsafe g_value_set_string(value, settings.host)
        case .parameters: unsafe value.setTexts(settings.parameters)
        case .pageTitle: unsafe g_value_set_string(value, settings.pageTitle)
        case .pageMessage: unsafe g_value_set_string(value, settings.pageMessage)
        case nil: break
        }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        redirectState.withLock { state in
            switch RedirectProperty(rawValue: property) {
            case .uri: state.settings.uri = unsafe value.text
            case .path: state.settings.path = unsafe value.text
            case .port: state.settings.port = unsafe g_value_get_uint(value)
            case .host: state.settings.host = unsafe value.text
            case .parameters: state.settings.parameters = unsafe value.texts
            case .pageTitle: state.settings.pageTitle = unsafe value.text
            case .pageMessage: state.settings.pageMessage = unsafe value.text
            case nil: break
            }
        }
    }

    /// Takes the redirect URI of a sign-in that begins, and notifies if it was not known.
    private func note(_ uri: URL) {
        let (isNew, object) = redirectState.withLock { state in
            let settings = state.settings
            guard settings.registeredURI == nil else { return (false, WeakReference?.none) }
            let registered = settings.listenerURI(ofPath: uri.path(percentEncoded: true))
            defer { state.lastURI = registered }
            return (state.lastURI != registered, state.object)
        }
        guard isNew, let object, let context = SessionCore.caller?.context else { return }
        context.invoke {
            guard let object = object.object(context) else { return }
            let instance = unsafe object.pointer.assumingMemoryBound(to: GObject.self)
            unsafe g_object_notify(instance, RedirectProperty.uri.name)
        }
    }
}
