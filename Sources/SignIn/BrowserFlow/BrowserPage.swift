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

    /// Tells the user to return to the app.
    public static let `default` = BrowserPage(
        title: "Back to the app",
        message: "You can close this page and go back to the app."
    )

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
