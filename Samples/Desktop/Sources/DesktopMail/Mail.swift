internal import AccountWindow

/// Mail, as far as this sample goes: its window shows who is signed in.
@main
struct Mail {
    static func main() {
        DesktopApp(id: "com.example.Mail", name: "Mail").run()
    }
}
