import Foundation
import PassAuth
import Testing

struct ClientOptionsTests {
    private func decoded(_ value: String?) throws -> [String: String] {
        let data = try #require(Data(base64Encoded: value?.removingPercentEncoding ?? ""))
        return try JSONDecoder().decode([String: String].self, from: data)
    }

    /// A machine with the given files.
    private func machine(_ files: [String: String]) throws -> Folder {
        let folder = try Folder()
        for (path, content) in files { try folder.file(path, content) }
        return folder
    }

    @Test("Known firmware and system values are sent; unknown ones are left out")
    func thisMachine() throws {
        let machine = try machine([
            "sys/class/dmi/id/product_name": "Book 14\n",
            "sys/class/dmi/id/sys_vendor": "Default string\n",
            "sys/class/dmi/id/chassis_type": "10\n",
            "etc/os-release": "NAME=\"Some Linux\"\nVERSION_ID=\"12\"\n",
        ])
        let client = ClientInformation.ofThisMachine(applicationID: "com.example.TV", root: machine.path)
        #expect(
            try decoded(client.headerValue) == [
                "applicationId": "com.example.TV", "model": "Book 14", "osFamily": "Linux", "osName": "Linux",
                "osVersion": "12", "primaryHardwareType": "Desktop",
            ]
        )
        #expect(client.queryValue.allSatisfy { !"+/=".contains($0) })
    }

    @Test("Options under Adobe's names are accepted and sent with every request")
    func options() throws {
        var options = ClientOptions(client: ClientInformation(model: "Box"))
        #expect(try decoded(options.headers["X-Device-Info"])["model"] == "Box")
        #expect(options.headers["AP-Visitor-Identifier"] == nil)
        try options.set(["visitorID": "visitor", "handleSVC": "true"])
        try options.set(["applicationProfile": "profile"])
        #expect(options.headers["AP-Visitor-Identifier"] == "visitor")
        #expect(options.handlesSecureBrowser)
        #expect(options.applicationProfile == "profile")
        let given = Data(#"{"model":"Given","displayWidth":1920}"#.utf8).base64EncodedString()
        try options.set(["device_info": given])
        #expect(options.headers["X-Device-Info"]?.removingPercentEncoding == given)
    }

    @Test("A visitor ID that no header can carry is never sent, however it was set")
    func visitorID() {
        var options = ClientOptions(client: ClientInformation())
        options.visitorID = "a\r\nX-Evil: 1"
        #expect(options.headers.keys.sorted() == ["X-Device-Info"])
        options.visitorID = "visitor"
        #expect(options.headers["AP-Visitor-Identifier"] == "visitor")
    }

    @Test(
        "An invalid option is refused by name, and none of the others is applied",
        arguments: [
            ("handleSVC", "perhaps"), ("device_info", "%%%"), ("device_info", "bm90IGpzb24="), ("visitor", "v"),
            ("visitorID", "a\r\nX-Evil: 1"),
        ]
    )
    func wrong(name: String, value: String) {
        let before = ClientOptions(client: ClientInformation())
        var options = before
        do throws(PassTokenError) {
            try options.set(["applicationProfile": "profile", name: value])
            Issue.record("\(name) was taken")
        } catch {
            #expect(error.code == .invalidValue)
            #expect(error.message.contains(name))
        }
        #expect(options == before)
    }
}
