import Glibc

/// The arguments of the command line, and the address of the servers.
struct Call {
    enum Verb {
        case watch(String)
        case status
        case signOut
        case open(String)
    }

    /// The screen on which the user signs in.
    enum Screen: String {
        /// The browser, with a redirect to an address of this machine.
        case browser
        /// The browser, with a redirect to an address of the app's own scheme.
        case scheme
        /// Another screen, with a code.
        case code
    }

    let verb: Verb
    private(set) var app = App.news
    private(set) var screen = Screen.browser
    let server: String
    let statement: String

    init(_ arguments: some Collection<String>) throws {
        var words: [String] = []
        var rest = Array(arguments)
        while let word = rest.first {
            rest.removeFirst()
            switch word {
            case "--app": app = rest.isEmpty ? app : try App(named: rest.removeFirst())
            case "--screen":
                guard let given = rest.first.flatMap(Screen.init) else {
                    throw Trouble("Give --screen browser, scheme or code.", status: 64)
                }
                screen = given
                rest.removeFirst()
            default: words.append(word)
            }
        }
        switch (words.first, words.count) {
        case ("watch", 2): verb = .watch(words[1])
        case ("open", 2): verb = .open(words[1])
        case ("status", 1): verb = .status
        case ("sign-out", 1): verb = .signOut
        default: throw Trouble("Say what to do: watch CHANNEL, status, sign-out, or open ADDRESS.", status: 64)
        }
        server = Self.variable("TVAPP_SERVER") ?? "http://127.0.0.1:9100"
        statement = Self.variable("TVAPP_STATEMENT") ?? "tvapp"
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { value in unsafe String(cString: value) }
    }
}

/// One of the two apps of the team.
struct App {
    static let news = App(name: "News", id: "com.example.tv.News", programmer: "ExampleNews")
    static let sport = App(name: "Sport", id: "com.example.tv.Sport", programmer: "ExampleSport")

    let name: String
    let id: String
    /// The name of its programmer at Pass.
    let programmer: String
}

extension App {
    init(named name: String) throws {
        guard let app = [App.news, .sport].first(where: { $0.name.lowercased() == name }) else {
            throw Trouble("There is no app \(name). Use news or sport.")
        }
        self = app
    }
}
