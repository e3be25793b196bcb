internal import AccountWindow

/// The sample app Mail; its window shows the signed-in user.
@main
struct Mail {
    static func main() {
        DesktopApp(id: "com.example.Mail", name: "Mail").run()
    }
}
