internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// An error response of Firebase.
struct FirebaseRefusal: Sendable {
    let status: Int
    /// The error code: the part of the message before its first colon.
    let word: String
    /// The part of the message after the colon.
    let detail: String?
    /// Google's name of the status, such as `RESOURCE_EXHAUSTED`.
    let name: String?
    /// The reasons in `details`, Google's current format.
    let reasons: [String]
    /// The reasons in `errors`, Google's former format.
    let olderReasons: [String]

    init(status: Int, _ answer: JSONObject) {
        let error = JSONObject(answer.members["error"])
        self.init(
            status: error?.seconds("code").map { Int($0) } ?? status,
            message: error?.string("message") ?? answer.string("error") ?? "",
            name: error?.string("status"),
            reasons: error?.objects("details").compactMap { $0.string("reason") } ?? [],
            olderReasons: error?.objects("errors").compactMap { $0.string("reason") } ?? []
        )
    }

    init(
        status: Int,
        message: String,
        name: String? = nil,
        reasons: [String] = [],
        olderReasons: [String] = []
    ) {
        self.status = status
        let parts = message.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        word = parts.first.map(Self.trim) ?? ""
        let detail = parts.count > 1 ? Self.trim(parts[1]) : ""
        self.detail = detail.isEmpty ? nil : detail
        self.name = name
        self.reasons = reasons
        self.olderReasons = olderReasons
    }

    /// Returns the error for the app.
    func error(of operation: AccountOperation, details: AuthErrorDetails? = nil) -> AuthError {
        let (code, sentence, remedy) = meaning(for: operation)
        return AuthError(
            code,
            isWord ? "\(sentence) (Firebase: \(word).)" : sentence,
            remedy: remedy,
            details: details ?? self.details(for: code),
            underlying: refusal
        )
    }

    private func meaning(
        for operation: AccountOperation
    ) -> (code: AuthErrorCode, sentence: String, remedy: String?) {
        if let reason = reasons.lazy.compactMap({ KeyRefusal(reason: $0, operation) }).first { return reason.meaning }
        if let entry = ErrorWord.all[word] { return (entry.code(for: operation), entry.sentence, entry.remedy) }
        if let reason = olderReasons.lazy.compactMap({ KeyRefusal(olderReason: $0) }).first { return reason.meaning }
        if status == 429 || name == "RESOURCE_EXHAUSTED" {
            return (.tooManyRequests, "Too many requests to Firebase.", "Try again later.")
        }
        if status >= 500 {
            return (.networkError, "Firebase failed (status \(status)).", "Try again later.")
        }
        return (
            .internalError,
            "Firebase refused the request for a reason that this library does not know (status \(status)).",
            "See the underlying error, an IdentityToolkitRefusal."
        )
    }

    private func details(for code: AuthErrorCode) -> AuthErrorDetails? {
        switch code {
        case .weakPassword, .passwordDoesNotMeetRequirements: detail.map { .reasons(Self.reasons(in: $0)) }
        case .blockingCloudFunctionError: detail.map { .blockingFunction(BlockingFunctionRefusal(detail: $0)) }
        default: nil
        }
    }

    private var refusal: IdentityToolkitRefusal {
        IdentityToolkitRefusal(
            status: status,
            word: isWord ? word : nil,
            text: isWord ? detail : [word, detail].compactMap(\.self).joined(separator: ": "),
            reasons: reasons + olderReasons
        )
    }

    /// True if the word looks like an error code, which a message may quote.
    private var isWord: Bool {
        !word.isEmpty && word.utf8.count <= 64
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    /// Returns the sentences of a list in brackets, or the whole text.
    private static func reasons(in text: String) -> [String] {
        guard let start = text.firstIndex(of: "["), let end = text.lastIndex(of: "]"), start < end else {
            return [text]
        }
        let list = text[text.index(after: start)..<end]
        return list.split(separator: ",").map(trim).filter { !$0.isEmpty }
    }

    private static func trim(_ text: Substring) -> String {
        let rest = text.drop { $0.isWhitespace }
        return String(rest.reversed().drop { $0.isWhitespace }.reversed())
    }
}

extension BlockingFunctionRefusal {
    /// Parses the first JSON object in a refusal's text, `{"error": {"code": …, "message": …, "status": …}}`.
    init(detail: String) {
        guard let object = Self.firstObject(in: detail), let error = JSONObject(object.members["error"]) else {
            self.init(message: detail)
            return
        }
        self.init(
            message: error.string("message"),
            status: error.string("status"),
            code: error.seconds("code").map { Int($0) }
        )
    }

    private static func firstObject(in text: String) -> JSONObject? {
        let bytes = Array(text.utf8.drop { $0 != UInt8(ascii: "{") })
        var (depth, isText, isEscaped) = (0, false, false)
        for (place, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText: depth += 1
            case UInt8(ascii: "}") where !isText:
                depth -= 1
                if depth == 0 { return JSONObject(bytes[...place]) }
            default: break
            }
        }
        return nil
    }
}
