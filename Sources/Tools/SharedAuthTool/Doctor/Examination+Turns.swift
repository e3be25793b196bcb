internal import CommandLineSupport
internal import DesktopSupport
internal import SharedAuth

extension Examination {
    /// Lists the processes that currently prevent others from changing the app's users or their tokens.
    mutating func checkHolders(of app: AppInspection, in group: String?) {
        for group in group.map({ [nil, $0] }) ?? [nil] {
            let place = group.map { "access group \($0)" } ?? "the app's own slot"
            // Another check has reported a store that cannot be read.
            guard let holders = try? app.holders(inAccessGroup: group, by: deadline) else { continue }
            noteHolder(holders.ofRecord, of: "change \(place)")
            noteHolder(holders.ofTokens, of: "exchange the tokens in \(place)")
        }
    }

    private mutating func noteHolder(_ holder: LockWait.Holder?, of turn: String) {
        guard let holder else { return }
        switch holder {
        case .thisProcess: break
        case .process(let process):
            note(.warning("turns", "\(process.description) has the turn to \(turn).", remedy: process.remedy))
        case .child:
            let (child, wait) = (holder.description, LockWait(holder, since: .now))
            note(.warning("turns", "\(child) has the turn to \(turn).", remedy: wait.remedy))
        case .unknown:
            note(
                .warning(
                    "turns",
                    "A process that cannot be seen from here has the turn to \(turn).",
                    remedy:
                        "Run doctor again; if the problem persists, run it outside of any sandbox, where it names the process."
                )
            )
        }
    }
}
