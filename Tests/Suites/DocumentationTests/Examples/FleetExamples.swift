import SharedAuth
import SharedAuthFleet

// The code of the article "SharedAuthFleet".

enum FleetExamples {
    static func store() {
        // example
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            store: .fleet(local: .secretService())
        )
        // end of example
        _ = options
    }
}
