// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The IDs of sign-in providers, sign-in methods and second factors, under Firebase's names.

/// The provider ID of an e-mail address, with a password or a link.
public let EmailAuthProviderID = EmailAuthProvider.id
/// The provider ID of Google.
public let GoogleAuthProviderID = "google.com"
/// The provider ID of Facebook.
public let FacebookAuthProviderID = "facebook.com"
/// The provider ID of GitHub.
public let GitHubAuthProviderID = "github.com"
/// The provider ID of Twitter.
public let TwitterAuthProviderID = "twitter.com"
/// The provider ID of a phone number, which an account may list. Signing in with one is not supported.
public let PhoneAuthProviderID = "phone"
/// The provider ID of Game Center, which an account may list. Signing in with it is not supported.
public let GameCenterAuthProviderID = "gc.apple.com"

/// The sign-in method of a password, as `fetchSignInMethods` of IdentityToolkit returns it.
public let EmailPasswordAuthSignInMethod = "password"
/// The sign-in method of an e-mailed link.
public let EmailLinkAuthSignInMethod = "emailLink"
/// The sign-in method of Google.
public let GoogleAuthSignInMethod = GoogleAuthProviderID
/// The sign-in method of Facebook.
public let FacebookAuthSignInMethod = FacebookAuthProviderID
/// The sign-in method of GitHub.
public let GitHubAuthSignInMethod = GitHubAuthProviderID
/// The sign-in method of Twitter.
public let TwitterAuthSignInMethod = TwitterAuthProviderID
/// The sign-in method of a phone number.
public let PhoneAuthSignInMethod = PhoneAuthProviderID
/// The sign-in method of Game Center.
public let GameCenterAuthSignInMethod = GameCenterAuthProviderID

/// The ID of second factors whose codes an authenticator app shows.
public let TOTPMultiFactorID = TOTPMultiFactorGenerator.id
/// The ID of second factors whose codes are sent to a phone, which an account may list. Adding and using them is not
/// supported.
public let PhoneMultiFactorID = "phone"
