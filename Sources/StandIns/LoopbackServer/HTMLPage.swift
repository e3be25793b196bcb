internal import DesktopSupport

/// An HTML page of a stand-in: a heading and parts of HTML.
package struct HTMLPage: Sendable {
    /// The title as text, also shown as the heading.
    package var title: String
    /// The parts as HTML. Escape texts in them with ``escape(_:)``.
    package var parts: [String]

    package init(_ title: String, _ parts: [String]) {
        self.title = title
        self.parts = parts
    }

    /// Returns a paragraph of text.
    package static func paragraph(_ text: String) -> String { "<p>\(escape(text))</p>" }

    /// Returns a link.
    package static func link(_ text: String, to address: String) -> String {
        "<a href=\"\(escape(address))\">\(escape(text))</a>"
    }

    /// Returns a table. The head is text; the cells are HTML, so the caller escapes texts in them.
    package static func table(_ head: [String], _ rows: [[String]]) -> String {
        let head = head.map { "<th>\(escape($0))</th>" }.joined()
        let rows = rows.map { row in "<tr>\(row.map { "<td>\($0)</td>" }.joined())</tr>" }
        return "<table><tr>\(head)</tr>\(rows.joined(separator: "\n"))</table>"
    }

    /// Escapes a text for HTML, also within a quoted attribute.
    package static func escape(_ text: String) -> String { text.escapedForHTML }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(Self.escape(title))</title>
        <style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0}</style>
        </head>
        <body><h1>\(Self.escape(title))</h1>
        \(parts.joined(separator: "\n"))
        </body>
        </html>

        """
    }
}
