internal import DesktopSupport

/// A page of a stand-in: a heading, then parts of HTML.
package struct HTMLPage: Sendable {
    /// Text; it is shown as the heading too.
    package var title: String
    /// HTML: texts in it are to be escaped by ``escape(_:)``.
    package var parts: [String]

    package init(_ title: String, _ parts: [String]) {
        self.title = title
        self.parts = parts
    }

    /// A paragraph of text.
    package static func paragraph(_ text: String) -> String { "<p>\(escape(text))</p>" }

    /// A link.
    package static func link(_ text: String, to address: String) -> String {
        "<a href=\"\(escape(address))\">\(escape(text))</a>"
    }

    /// A table of texts; cells that are to be HTML are made by the caller.
    package static func table(_ head: [String], _ rows: [[String]]) -> String {
        let head = head.map { "<th>\(escape($0))</th>" }.joined()
        let rows = rows.map { row in "<tr>\(row.map { "<td>\($0)</td>" }.joined())</tr>" }
        return "<table><tr>\(head)</tr>\(rows.joined(separator: "\n"))</table>"
    }

    /// Text as it stands in HTML, also within the quotes of an attribute.
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
