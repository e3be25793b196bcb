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

    /// Tells the user to return to the app, in the language of the process: see `AuthError.userMessage`.
    public static var `default`: BrowserPage {
        BrowserPage(
            title: Translation.of("Back to the app"),
            message: Translation.of("You can close this page and go back to the app."),
            // Translators: the code of your language, as in HTML's attribute lang, such as "de".
            language: Translation.of("en")
        )
    }

    var html: String {
        let title = title.escapedForHTML
        return """
            <!DOCTYPE html>
            <html lang="\(language.escapedForHTML)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title)</title></head>
            <body><h1>\(title)</h1><p>\(message.escapedForHTML)</p></body>
            </html>

            """
    }
}
