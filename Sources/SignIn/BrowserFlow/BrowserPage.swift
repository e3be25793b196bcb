internal import DesktopSupport

/// The page that the browser shows at the end of a sign-in. It is plain text: HTML in it is escaped.
public struct BrowserPage: Sendable, Hashable {
    /// The title, which is also the heading.
    public var title: String
    /// One or two sentences for the user.
    public var message: String
    /// The language of both, as in HTML's `lang` attribute.
    public var language: String

    /// Creates a page.
    public init(title: String, message: String, language: String = "en") {
        self.title = title
        self.message = message
        self.language = language
    }

    /// Tells the user to return to the app. It is shown in the language that the process has then: see
    /// `AuthError.userMessage`.
    public static let `default` = BrowserPage(
        title: Translation.mark("Back to the app"),
        message: Translation.mark("You can close this page and go back to the app."),
        // Translators: the code of your language, as in HTML's attribute lang, such as "de".
        language: Translation.mark("en")
    )

    /// The page as it is shown.
    private var shown: BrowserPage {
        guard self == .default else { return self }
        return BrowserPage(
            title: Translation.of(title),
            message: Translation.of(message),
            language: Translation.of(language)
        )
    }

    var html: String {
        let page = shown
        let title = page.title.escapedForHTML
        return """
            <!DOCTYPE html>
            <html lang="\(page.language.escapedForHTML)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title)</title></head>
            <body><h1>\(title)</h1><p>\(page.message.escapedForHTML)</p></body>
            </html>

            """
    }
}
