extension AuthApp {
    /// The directory that keeps choices of access group, unless an app names another.
    package static var defaultStateDirectory: String { Journal.defaultDirectory }
}
