import Testing

@testable import IdentityToolkit

struct LanguageTests {
    @Test(
        "The language is the environment's, in BCP 47 format",
        arguments: [
            (["LANG": "de_DE.UTF-8"], "de-DE"), (["LC_ALL": "fr", "LANG": "de_DE"], "fr"),
            (["LC_ALL": "", "LC_MESSAGES": "ca_ES@valencia"], "ca-ES"), (["LANG": "C.UTF-8"], nil),
            (["LC_ALL": "POSIX", "LANG": "de"], nil), ([:], nil),
        ] as [([String: String], String?)]
    )
    func language(_ environment: [String: String], _ code: String?) {
        #expect(Language.code(of: environment) == code)
    }
}
