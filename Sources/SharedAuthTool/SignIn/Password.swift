internal import CommandLineSupport

extension Terminal {
    /// The password: the next line of standard input, which a terminal does not show. A person who chooses one types it twice.
    ///
    /// - Parameters:
    ///   - isNew: whether it is chosen now, by a person.
    ///   - question: what a person is asked.
    static func password(isNew: Bool, asking question: String = "Password") throws -> String {
        let password = try hiddenLine("password", asking: question)
        if isNew, try hiddenLine("password", asking: "The same again") != password {
            throw ToolError(.usage, "The two passwords are not the same.", remedy: "Try again; nothing was changed.")
        }
        return password
    }
}
