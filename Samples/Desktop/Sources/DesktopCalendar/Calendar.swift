internal import AccountWindow

/// Calendar, as far as this sample goes: its window shows who is signed in.
@main
struct Calendar {
    static func main() {
        DesktopApp(id: "com.example.Calendar", name: "Calendar").run()
    }
}
