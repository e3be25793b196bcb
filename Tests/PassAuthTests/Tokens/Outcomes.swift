import PassAuth
import Testing

/// What became of many broken tokens.
struct Outcomes {
    private var codes: [String: Int] = [:]
    private var valid = 0
    private var invalid = 0

    mutating func count(_ error: PassTokenError) { codes[error.code.rawValue, default: 0] += 1 }

    mutating func count(_ isValid: Bool) {
        if isValid { valid += 1 } else { invalid += 1 }
    }

    /// Expects that the changes reached every layer: the scanner, the parser, the elements, the signature.
    func expectVariety(rounds: Int) {
        let story: Comment = "\(codes), \(valid) valid, \(invalid) not"
        #expect(codes["malformed", default: 0] > rounds / 10, story)
        for code in ["forbiddenMarkup", "secondSignature", "missingElement", "repeatedElement", "notBase64"] {
            #expect(codes[code, default: 0] > 0, story)
        }
        #expect(invalid > rounds / 40, story)
        #expect(valid < rounds / 10, story)
    }
}
