extension AuthApp {
    /// The directory that keeps choices of access group, unless an app names another.
    package static func defaultStateDirectory(environment: [String: String]) -> String {
        GroupChoiceFile.defaultDirectory(environment: environment)
    }
}
