internal import CLibsecret
internal import GLibSupport

extension BusRequest {
    /// How many bytes a request's arguments may have: well below what a message bus takes, which drops the whole connection
    /// of one that sends more.
    static let maximumSize = 16 << 20

    /// The error for a request that is too large to be sent; nil if it is not.
    var excess: SecretServiceError? {
        guard let size = arguments?.size, size > Self.maximumSize else { return nil }
        return .tooLarge("\(member) on \(path)", size)
    }
}

extension SecretServiceError {
    /// What was to be sent is larger than we send.
    static func tooLarge(_ what: String, _ size: Int) -> SecretServiceError {
        SecretServiceError(
            code: .invalidArgument,
            message: "\(what): \(size) bytes are too many to be sent; the limit is \(BusRequest.maximumSize). "
                + "Store less, or split it."
        )
    }
}

extension Variant {
    /// The number of bytes of its serialized form.
    var size: Int {
        unsafe withUnsafePointer { value in unsafe Int(g_variant_get_size(value)) }
    }
}
