internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuthHTTP

/// The HTML pages of the stand-in.
enum Pages {
    static let notice =
        "This is a stand-in for Firebase Authentication from the SharedAuth project, for tests and samples. It is "
        + "reachable only from this machine, is not Google's, and keeps its state in memory."

    static func home(_ project: String) -> HTMLPage {
        let links = [("E-mails and their codes", "/stand-in/codes"), ("Accounts", "/stand-in/accounts")]
        let list = links.map { "<li>\(HTMLPage.link($0.0, to: $0.1))</li>" }.joined()
        return page("The project \(project)", ["<ul>\(list)</ul>"])
    }

    static func codes(_ codes: [OneTimeCode], at site: String) -> HTMLPage {
        let rows = codes.reversed().map { code in
            [
                HTMLPage.escape(code.newEmail ?? code.email), HTMLPage.escape(code.kind.mode),
                HTMLPage.link("Open", to: code.link(at: site)), HTMLPage.escape(code.expires.formatted(.iso8601)),
            ]
        }
        let table = HTMLPage.table(["To", "For", "Link", "Valid until"], rows)
        return page("E-mails", [rows.isEmpty ? HTMLPage.paragraph("No e-mails with unused codes.") : table])
    }

    static func accounts(_ accounts: [Account]) -> HTMLPage {
        let rows = accounts.map { account in
            let ways = account.providers.map(\.identity.providerID) + (account.password == nil ? [] : ["password"])
            let notes = [
                account.isDisabled ? "disabled" : nil, account.isEmailVerified ? "verified" : nil,
                account.factors.isEmpty ? nil : "second factor", account.tenantID.map { "tenant \($0)" },
            ]
            let words = (ways.isEmpty ? [account.isCustom ? "custom" : "anonymous"] : ways) + notes.compactMap(\.self)
            return [account.uid, account.email ?? "", account.displayName ?? "", words.joined(separator: ", ")]
                .map(HTMLPage.escape)
        }
        return page("Accounts", [HTMLPage.table(["Uid", "Address", "Name", "Details"], rows)])
    }

    static func foreignSignIn(_ redirect: PendingRedirect) -> HTMLPage {
        page(
            "Sign in at \(redirect.providerID)",
            [
                """
                <form method="get" action="/stand-in/sign-in">
                <input type="hidden" name="state" value="\(HTMLPage.escape(redirect.state))">
                <p><label>User id <input name="subject" value="ada" required></label></p>
                <p><label>Address <input name="email" type="email" value="ada@example.com"></label></p>
                <p><label>Name <input name="name" value="Ada"></label></p>
                <p><label><input type="checkbox" name="unverified" value="1"> The address is not verified</label></p>
                <p><button>Sign in</button> <button name="deny" value="1" formnovalidate>Deny</button></p>
                </form>
                """
            ]
        )
    }

    static func newPassword(_ fields: FormFields) -> HTMLPage {
        let hidden = fields.all.filter { $0.name != "newPassword" }.map { field in
            "<input type=\"hidden\" name=\"\(HTMLPage.escape(field.name))\" value=\"\(HTMLPage.escape(field.value))\">"
        }
        return page(
            "Choose a new password",
            [
                "<form method=\"get\" action=\"/emulator/action\">\(hidden.joined())",
                "<p><label>New password <input type=\"password\" name=\"newPassword\" required minlength=\"6\"></label> "
                    + "<button>Save</button></p></form>",
            ]
        )
    }

    static func done(_ title: String, _ text: String, leadsTo url: String?) -> HTMLPage {
        page(title, [HTMLPage.paragraph(text)] + (url.map { ["<p>\(HTMLPage.link("Continue", to: $0))</p>"] } ?? []))
    }

    private static func page(_ title: String, _ parts: [String]) -> HTMLPage {
        HTMLPage(title, ["<p><em>\(HTMLPage.escape(notice))</em></p>"] + parts)
    }
}

extension OneTimeCode {
    /// Returns the link of the e-mail.
    package func link(at site: String) -> String {
        var items = [("mode", kind.mode), ("lang", language), ("oobCode", code), ("apiKey", "stand-in")]
        if let continueURL { items.append(("continueUrl", continueURL)) }
        if let tenantID { items.append(("tenantId", tenantID)) }
        return "\(site)/emulator/action?" + FormEncoding.encode(items.map { (name: $0.0, value: $0.1) })
    }
}
