internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A response from Firebase, or from a proxy or network in between.
struct FirebaseAnswer: Sendable {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    /// Returns the JSON object in the response.
    ///
    /// - Throws: Firebase's error; `networkError` if the response is not from Firebase; `outcomeUnknown` if the
    ///   response to a change was cut off.
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
            return AuthError(.tooManyRequests, "Too many requests to Firebase. Try again later.", underlying: refusal)
        }
        // Firebase never sends a web page, so the request did not reach it.
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
        if response.isSuccess, !isPage, !operation.isRepeatable {
            return AuthError(
                .outcomeUnknown,
                "Firebase's response was cut off. It is unknown whether the request succeeded.",
                remedy: "Check the account before you try again.",
                underlying: refusal
            )
        }
        return AuthError(
            .networkError,
            "The response is not from Firebase (status \(response.status)).",
            remedy: "Log in to the network, check the proxy, or try again later.",
            underlying: refusal
        )
    }
}
