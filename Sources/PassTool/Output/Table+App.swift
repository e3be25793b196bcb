internal import CommandLineSupport
internal import SharedAuth

extension Table {
    /// Begins with whose tokens it is about.
    init(of app: PassApp) {
        self.init()
        add("appID", .string(app.identity.appID), "app id", app.identity.appID)
        add("accessGroup", JSONValue(app.group?.name), "access group", app.group?.name ?? "none (private store)")
    }

    /// Adds a text, or a word for there being none.
    mutating func add(_ member: String, _ name: String, _ value: String?, otherwise absence: String = "none") {
        add(member, JSONValue(value), name, value?.printable ?? absence)
    }

    /// Adds a number, or its being unknown.
    mutating func add(_ member: String, _ name: String, _ value: Int?) {
        add(member, value.map { .number(Double($0)) } ?? .null, name, value.map(String.init) ?? "unknown")
    }

    /// Adds a truth value, or its being unknown.
    mutating func add(_ member: String, _ name: String, _ value: Bool?) {
        add(member, value.map(JSONValue.bool) ?? .null, name, value.map { $0 ? "yes" : "no" } ?? "unknown")
    }
}
