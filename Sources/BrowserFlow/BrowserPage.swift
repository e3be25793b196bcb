internal import DesktopSupport

/// The page that the browser shows at the end of a sign-in. It is text: nothing in it is read as HTML.
public struct BrowserPage: Sendable, Hashable {
    /// The title, shown as the heading too.
    public var title: String
    /// A sentence or two for the person.
    public var message: String
    /// The language of both, as HTML names it.
    public var language: String

    /// Creates a page.
    public init(title: String, message: String, language: String = "en") {
        self.title = title
        self.message = message
        self.language = language
    }

    /// Sends the person back to the app.
    public static let `default` = BrowserPage(
        title: "Back to the app",
        message: "The browser has done its part. You can close this page and go back to the app."
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
