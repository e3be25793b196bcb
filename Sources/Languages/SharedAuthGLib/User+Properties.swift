public import CSharedAuthGLib

// The properties of a user.

/// Returns a copy of the issuer of the account.
@c @implementation
public func shared_auth_user_dup_issuer(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function)?.text(of: UserCore.Property.issuer)
}

/// Returns a copy of the id of the first sign-in method.
@c @implementation
public func shared_auth_user_dup_provider_id(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function)?.text(of: UserCore.Property.providerID)
}

/// Returns a copy of the URI of the user's photo.
@c @implementation
public func shared_auth_user_dup_photo_uri(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function)?.text(of: UserCore.Property.photoURI)
}

/// Returns a copy of the phone number.
@c @implementation
public func shared_auth_user_dup_phone_number(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function)?.text(of: UserCore.Property.phoneNumber)
}

/// Returns whether the user is anonymous.
@c @implementation
public func shared_auth_user_get_is_anonymous(_ user: UserPointer?) -> gboolean {
    unsafe userCore(user, #function)?.flag(of: UserCore.Property.isAnonymous) ?? 0
}

/// Returns whether the e-mail address is verified.
@c @implementation
public func shared_auth_user_get_is_email_verified(_ user: UserPointer?) -> gboolean {
    unsafe userCore(user, #function)?.flag(of: UserCore.Property.isEmailVerified) ?? 0
}

/// Returns a copy of the reason why the user must sign in again.
@c @implementation
public func shared_auth_user_dup_session_failure(_ user: UserPointer?) -> UnsafeMutablePointer<GError>? {
    unsafe userCore(user, #function)?.failure(of: UserCore.Property.sessionFailure)
}
