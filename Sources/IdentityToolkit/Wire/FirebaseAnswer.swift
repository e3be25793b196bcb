internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// An answer that came, of Firebase or of something on the way there.
struct FirebaseAnswer: Sendable {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    /// Returns the object in the answer.
    ///
    /// - Throws: the refusal; `networkError` for what is not Firebase's, `outcomeUnknown` for half an answer to a change.
    func object(of operation: AccountOperation) throws(AuthError) -> JSONObject {
        if let object = JSONObject(response.body) {
            if response.isSuccess, object.members["error"] == nil { return object }
            throw FirebaseRefusal(status: response.status, object).error(of: operation)
        }
        if response.isSuccess, response.body.isEmpty { return JSONObject(members: [:]) }
        throw unreadable(after: operation)
    }

    private func unreadable(after operation: AccountOperation) -> AuthError {
        let refusal = IdentityToolkitRefusal(status: response.status, word: nil, text: nil, reasons: [])
        if response.status == 429 {
            return AuthError(.tooManyRequests, "Firebase was asked too often. Try again later.", underlying: refusal)
        }
        // A page does not come from Firebase, so the request never got there.
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
        if response.isSuccess, !isPage, !operation.isRepeatable {
            return AuthError(
                .outcomeUnknown,
                "The answer of Firebase was cut off. Whether it did what it was asked is unknown.",
                remedy: "Look at the account before you do it again.",
                underlying: refusal
            )
        }
        return AuthError(
            .networkError,
            "The answer did not come from Firebase (status \(response.status)).",
            remedy: "Log in to the network, check the proxy, or try again later.",
            underlying: refusal
        )
    }
}
