/// The reason why the listener refuses a request.
package enum RedirectRefusal: Error, Sendable, Hashable {
    /// The request is not one of a browser.
    case malformed
    /// The request is the POST of a form to the path of the redirect.
    case method
    /// The request has another method.
    case otherMethod
    /// The request is for another path, such as a browser's for an icon.
    case path
    /// The request used another host name than the redirect URI.
    case host
    /// The redirect has no `state`.
    case noState
    /// The redirect has the `state` of another sign-in.
    case otherState
    /// A parameter of the redirect occurs twice or cannot be decoded.
    case parameters
    /// The line of the request is too long.
    case tooLong
    /// The request did not arrive in time.
    case incomplete
    /// Another user of this machine sent the request.
    case otherUser

    /// True if the request may have been the redirect of a sign-in, so that somebody should be told.
    package var concernsSignIn: Bool {
        switch self {
        case .malformed, .otherMethod, .path, .incomplete: false
        case .method, .host, .noState, .otherState, .parameters, .tooLong, .otherUser: true
        }
    }

    /// The status of the response.
    var status: Int {
        switch self {
        case .malformed, .host, .noState, .otherState, .parameters: 400
        case .otherUser: 403
        case .path: 404
        case .method, .otherMethod: 405
        case .incomplete: 408
        case .tooLong: 414
        }
    }

    /// The mistake, as a sentence without its full stop.
    package var reason: String {
        switch self {
        case .malformed: "The request is not one of a browser"
        case .method: "The provider sent its response as a form (POST), and a redirect was expected"
        case .otherMethod: "Only GET is answered here"
        case .path: "Nothing is at this address"
        case .host: "The request used another host name than the redirect address"
        case .noState: "The redirect has no state, which shows that it belongs to this sign-in"
        case .otherState: "The redirect belongs to another sign-in: its state is not this one's"
        case .parameters: "A parameter of the redirect occurs twice or cannot be read"
        case .tooLong: "The address of the redirect is longer than \(RedirectRequest.lineLimit / 1024) kB"
        case .incomplete: "The request was not complete in time"
        case .otherUser: "The browser belongs to another user of this machine"
        }
    }

    /// The remedy, as a sentence.
    package var remedy: String {
        switch self {
        case .malformed, .otherMethod, .path, .incomplete: "Go back to the app."
        case .otherState: "Finish the sign-in on the page that the app opened last, or start it again in the app."
        case .otherUser: "Open the sign-in page in a browser of the user who runs the app."
        case .host: "Start the sign-in again in the app, and open the page that it shows."
        case .method:
            "Start the sign-in again in the app; if this persists, have the provider's administrator return the "
                + "response in the query of the redirect address (response_mode=query)."
        case .noState, .parameters, .tooLong:
            "Start the sign-in again in the app; if this persists, report it to the provider's administrator."
        }
    }
}
