public import CSharedAuthGLib
internal import DesktopSupport
internal import SharedAuth

private let quark = unsafe g_quark_from_static_string(strdup("shared-auth-error-quark"))

/// Returns the error domain.
@c @implementation
public func shared_auth_error_quark() -> GQuark { quark }

/// Returns the text for the person who uses the app.
@c @implementation
public func shared_auth_error_get_user_message(_ error: UnsafePointer<GError>?) -> CText? {
    guard let error = unsafe error?.pointee else {
        critical(#function, "error != NULL")
        return nil
    }
    let text: String
    if unsafe error.domain == quark {
        text = AuthErrorCode.userMessage(ofNumber: unsafe Int(error.code))
    } else if unsafe error.domain == g_io_error_quark() && error.code == gint(G_IO_ERROR_CANCELLED.rawValue) {
        text = Translation.of("The action was cancelled.")
    } else {
        text = unsafe String(cString: error.message)
    }
    return unsafe g_intern_string(text)
}

extension AuthError {
    /// The error as a `GError`, which the caller frees. Its message has the names of the GObject API.
    var asGError: UnsafeMutablePointer<GError>? {
        var message = text
        for (swift, glib) in Self.names { message = message.replacing(swift, with: glib) }
        return unsafe g_error_new_literal(quark, gint(code.rawValue), message)
    }

    /// Names of the Swift API that occur in messages, and their equivalents in the GObject API. The tests of the library
    /// read this table, and compare it with the messages.
    private static let names = [
        (
            "Set Options.identityProvider, e.g. to .local of LocalIdentity.",
            "Create the session with identity-provider."
        ),
        ("an app whose Options.store is .fleet (SharedAuthFleet)", "an app in Swift whose store is the fleet"),
        ("Sign in with DeviceSignIn", "Sign in with a device code"),
        ("set addsOfflineAccess to false", "create the identity provider with adds-offline-access as FALSE"),
        ("Options.identityTimeout", "identity-timeout"),
        ("Options.accessGroups", "access-groups"),
        ("Options.stateDirectory", "XDG_STATE_HOME"),
        ("Create it with createCollection(), which prompts the user, or in", "Create it in"),
        ("auth.unlock()", "unlock()"),
        ("auth.currentUser", "the property user"),
        ("getStoredUser(forAccessGroup:)", "get_stored_user()"),
        ("getIDToken(forcingRefresh:)", "get_id_token()"),
        ("getIDToken()", "get_id_token()"),
        ("accessToken(forScopes:forcingRefresh:)", "get_access_token()"),
        ("migrateCurrentUser(toAccessGroup:policy:) with the policy replace", "migrate() with the policy REPLACE"),
        ("Remove it first with unlink(fromProvider:).", "Remove it first in another app."),
        ("Call reauthenticate(with:), then try again.", "Sign in again, then repeat the call."),
        ("Set auth.tenantID to the user's tenant first.", "A session has no tenants: use a user without one."),
        ("a tenant other than Auth.tenantID", "a tenant, which a session does not have"),
        (
            "Ask the user for a code, and call resolveSignIn(with:) of the resolver in the error's details.",
            "A session cannot ask for it: sign in to an account without a second factor."
        ),
    ]
}
