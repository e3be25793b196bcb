public import SharedAuth

extension AuthError {
    /// Maps a failed request to an error of `Auth`, for all identity providers.
    ///
    /// | request | `AuthErrorCode` |
    /// |---|---|
    /// | no response in time, or cancelled | `timedOut` |
    /// | sent, and it is unknown whether the server acted on it | `outcomeUnknown` |
    /// | refused before sending: plain HTTP, malformed | `internalError` |
    /// | anything else | `networkError` |
    ///
    /// The message and the remedy are those of `error`, which is also the ``AuthError/underlying`` error.
    public init(_ error: HTTPError) {
        self.init(Self.code(error.code), error.message, remedy: error.remedy, underlying: error)
    }

    private static func code(_ code: HTTPError.Code) -> AuthErrorCode {
        switch code {
        case .timedOut, .cancelled: .timedOut
        case .cutOff: .outcomeUnknown
        case .notHTTPS, .invalidRequest: .internalError
        default: .networkError
        }
    }
}
