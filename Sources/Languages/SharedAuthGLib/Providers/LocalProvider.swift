public import CSharedAuthGLib
internal import LocalIdentity
internal import SharedAuth

/// The core of a `SharedAuthLocalProvider`.
final class LocalProviderCore: ProviderCore, @unchecked Sendable {
    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory { .local }

    override func canShareEngine(with other: ProviderCore) -> Bool { other is LocalProviderCore }

    static let localType = unsafe registerClass(
        "SharedAuthLocalProvider",
        parent: type,
        SharedAuthLocalProviderClass.self,
        SharedAuthLocalProvider.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in unsafe prepareClass(klass) },
        instanceFunction: { instance, _ in unsafe install(LocalProviderCore(), in: instance) }
    )
}

/// Returns the GType of `SharedAuthLocalProvider`.
@c @implementation
public func shared_auth_local_provider_get_type() -> GType { LocalProviderCore.localType }

/// Creates a local identity provider.
@c @implementation
public func shared_auth_local_provider_new() -> LocalProviderPointer? {
    unsafe makeObject(LocalProviderCore.localType)?.assumingMemoryBound(to: SharedAuthLocalProvider.self)
}
