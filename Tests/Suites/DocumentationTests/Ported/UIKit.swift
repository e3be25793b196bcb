// The ported app's replacement for UIKit: classes on the main actor with the names that its controllers use.

import Foundation
import SharedAuth

@MainActor
class UIViewController {
    var title: String?
    init() {}
    func viewDidLoad() {}
    func present(_ text: String) {}
}

@MainActor
final class UILabel {
    var text: String?
}

// The line that fills `userInfo`.
// example
extension AuthError: @retroactive CustomNSError {}
// end of example
