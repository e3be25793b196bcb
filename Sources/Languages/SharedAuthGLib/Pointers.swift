public import CSharedAuthGLib

// The pointers in C's declarations, under one name each.

/// `SharedAuthSession *`.
public typealias SessionPointer = UnsafeMutablePointer<SharedAuthSession>
/// `SharedAuthUser *`.
public typealias UserPointer = UnsafeMutablePointer<SharedAuthUser>
/// `SharedAuthRequest *`.
public typealias RequestPointer = UnsafeMutablePointer<SharedAuthRequest>
/// `SharedAuthIdentityProvider *`.
public typealias IdentityProviderPointer = UnsafeMutablePointer<SharedAuthIdentityProvider>
/// `SharedAuthLocalProvider *`.
public typealias LocalProviderPointer = UnsafeMutablePointer<SharedAuthLocalProvider>
/// `SharedAuthOpenIDProvider *`.
public typealias OpenIDProviderPointer = UnsafeMutablePointer<SharedAuthOpenIDProvider>
/// `SharedAuthOAuthProvider *`.
public typealias OAuthProviderPointer = UnsafeMutablePointer<SharedAuthOAuthProvider>
/// `SharedAuthFirebaseProvider *`.
public typealias FirebaseProviderPointer = UnsafeMutablePointer<SharedAuthFirebaseProvider>
/// `SharedAuthCustomProvider *`.
public typealias CustomProviderPointer = UnsafeMutablePointer<SharedAuthCustomProvider>
/// `GCancellable *`.
public typealias CancellablePointer = UnsafeMutablePointer<GCancellable>
/// `const char *`.
public typealias CText = UnsafePointer<CChar>
/// `char *`, which the caller frees.
public typealias OwnedText = UnsafeMutablePointer<CChar>
/// `char **`, which ends with NULL and which the caller frees.
public typealias OwnedTexts = UnsafeMutablePointer<OwnedText?>
/// `GError **`.
public typealias ErrorReturn = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
