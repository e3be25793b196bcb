extension AuthErrorCode: CustomStringConvertible {
    /// The name of the code in Swift, such as `keyringLocked`.
    public var description: String { name }
}

extension AuthErrorCode {
    /// The code itself: Firebase's have this member, too.
    public var code: AuthErrorCode { self }

    /// The type itself, as it was called up to Firebase 10.
    public typealias Code = AuthErrorCode

    /// The name that Firebase gives the code in an error's `userInfo`, such as `ERROR_USER_NOT_FOUND`.
    public var errorName: String {
        switch self {
        case .networkError: "ERROR_NETWORK_REQUEST_FAILED"
        case .missingAndroidPackageName: "ERROR_MISSING_ANDROID_PKG_NAME"
        case .missingAppCredential: "MISSING_APP_CREDENTIAL"
        case .invalidAppCredential: "INVALID_APP_CREDENTIAL"
        case .appVerificationUserInteractionFailure: "ERROR_APP_VERIFICATION_FAILED"
        case .webSignInUserInteractionFailure: "ERROR_WEB_USER_INTERACTION_FAILURE"
        case .blockingCloudFunctionError: "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR"
        default: "ERROR_\(Self.words(of: name))"
        }
    }

    /// Returns the words of a name in capital letters; an abbreviation such as `URI` is one word.
    private static func words(of name: String) -> String {
        let letters = Array(name)
        var words = ""
        for (place, letter) in letters.enumerated() {
            let next = place + 1 < letters.count ? letters[place + 1] : nil
            if place > 0, letter.isUppercase, !letters[place - 1].isUppercase || next?.isLowercase == true {
                words += "_"
            }
            words += letter.uppercased()
        }
        return words
    }
}
