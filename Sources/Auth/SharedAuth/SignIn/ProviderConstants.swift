// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The ids of ways to sign in and of second factors, as Firebase's constants.

/// The provider id of an e-mail address, with a password or a link.
public let EmailAuthProviderID = EmailAuthProvider.id
/// The provider id of Google.
public let GoogleAuthProviderID = "google.com"
/// The provider id of Facebook.
public let FacebookAuthProviderID = "facebook.com"
/// The provider id of GitHub.
public let GitHubAuthProviderID = "github.com"
/// The provider id of Twitter.
public let TwitterAuthProviderID = "twitter.com"
/// The provider id of a phone number, for what an account has: nobody can sign in with one here.
public let PhoneAuthProviderID = "phone"
/// The provider id of Game Center, for what an account has: nobody can sign in there from here.
public let GameCenterAuthProviderID = "gc.apple.com"

/// The sign-in method of a password, as `fetchSignInMethods` of IdentityToolkit gives it.
public let EmailPasswordAuthSignInMethod = "password"
/// The sign-in method of a link in a mail.
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

/// The kind of second factor whose codes an authenticator app shows.
public let TOTPMultiFactorID = TOTPMultiFactorGenerator.id
/// The kind of second factor whose codes come by phone, for what an account has: none can be added or used here.
public let PhoneMultiFactorID = "phone"
