public import SharedAuth

extension IdentityProviderSource {
    /// The embedded identity provider, on the app's own store.
    public static var local: IdentityProviderSource { .local(LocalIdentity.Settings()) }

    /// The embedded identity provider with settings, on the app's own store.
    public static func local(_ settings: LocalIdentity.Settings) -> IdentityProviderSource {
        IdentityProviderSource { context in
            LocalIdentity(
                store: context.store,
                project: context.project,
                deadline: context.deadline,
                settings: settings,
                now: context.now
            )
        }
    }
}
