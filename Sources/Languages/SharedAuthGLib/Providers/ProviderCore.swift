public import CSharedAuthGLib
internal import OpenIDConnect
internal import SharedAuth

/// The core of a `SharedAuthIdentityProvider`.
class ProviderCore: ObjectCore, @unchecked Sendable {
    /// Returns the factory of an engine's identity provider.
    ///
    /// - Parameters:
    ///   - object: The GObject of this core.
    ///   - audience: The sessions of the engine.
    /// - Throws: `operationNotAllowed` if the GObject is of no class of this library, or if its settings are malformed.
    func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        let name = unsafe String(cString: g_type_name(shared_auth_glue_type_of(object.pointer)))
        throw AuthError(
            .operationNotAllowed,
            "The class \(name) of the identity provider implements nothing: it inherits from IdentityProvider, which has "
                + "no virtual functions.",
            remedy: "Connect to the signals of a CustomProvider."
        )
    }

    /// Returns whether sessions with this identity provider and with the other can share an engine.
    func canShareEngine(with other: ProviderCore) -> Bool { self === other }

    /// Configures the `Auth` of a new engine that uses this identity provider.
    ///
    /// - Throws: An error if a setting of the identity provider is malformed.
    func prepare(_ auth: Auth) throws(AuthError) {}

    /// Returns the browser sign-in.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer it; `invalidProviderID` if it requires a
    ///   provider id.
    func browserSignIn(at providerID: String?, for auth: Auth) throws(AuthError) -> any FederatedAuthProvider {
        throw .notOffered("sign-in in the browser", by: "of this session")
    }

    /// Returns the sign-in with a device code, which passes the code to `show`.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer it.
    func deviceSignIn(_ show: @escaping @Sendable (DeviceCode) -> Void) throws(AuthError) -> any FederatedAuthProvider {
        throw .notOffered("sign-in with a code", by: "of this session")
    }

    /// Passes on the redirect of a running browser sign-in by hand.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer sign-in in the browser, or no sign-in is
    ///   running; `invalidCredential` if the address is not the redirect of one.
    func handle(redirect address: String) throws(AuthError) {
        throw .notOffered("sign-in in the browser", by: "of this session")
    }

    /// Passes on an address of the app's own scheme, with which the desktop has opened the app.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider has no redirect URI of the app's own scheme, or no sign-in
    ///   is running; `invalidCredential` if the address is not the redirect of one.
    func handle(uri: String) throws(AuthError) {
        throw .notOffered("sign-in in the browser", by: "of this session")
    }

    static let type = unsafe registerClass(
        "SharedAuthIdentityProvider",
        SharedAuthIdentityProviderClass.self,
        SharedAuthIdentityProvider.self,
        flags: G_TYPE_FLAG_ABSTRACT,
        classFunction: { klass, _ in unsafe prepareClass(klass) },
        instanceFunction: { instance, _ in unsafe install(ForeignProviderCore(), in: instance) }
    )
}

/// The core of an object whose class is not one of this library, and therefore does not replace it.
private final class ForeignProviderCore: ProviderCore, @unchecked Sendable {
    override func constructed(_ object: UnsafeMutableRawPointer) {
        critical("shared_auth_identity_provider_init", "SHARED_AUTH_IS_CUSTOM_PROVIDER (provider)")
    }
}

/// Returns the GType of `SharedAuthIdentityProvider`.
@c @implementation
public func shared_auth_identity_provider_get_type() -> GType { ProviderCore.type }
