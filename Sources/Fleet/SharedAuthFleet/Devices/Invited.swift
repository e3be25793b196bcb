internal import DesktopSupport

/// The header that invites the owner of a code, as the server shows it, and the slot for the one that follows it.
struct Invited {
    let header: FleetHeader
    let nextSlot: Int

    /// Finds the latest header with an invitation for a code. Headers that do not verify are absent.
    ///
    /// - Throws: `wrongCode` if there is none, or a device joined with it or invited another one since; `forgedHeader` if
    ///   the only one was written by a device that does not know the code; an error of the server.
    init(by code: EnrolmentCode, on session: any FleetSession, by deadline: Deadline) throws(FleetError) {
        header = try Self.header(for: code, on: session, by: deadline)
        // Before the headers are listed: one that is added later takes this slot, or is listed.
        nextSlot = try session.freeSlot(after: header.number, by: deadline)
        let later = try session.listHeaders(after: header.number, by: deadline)
        for bytes in try session.headers(later, by: deadline) {
            if let next = try? FleetHeader(bytes), (try? header.check(next: next)) != nil { throw .wrongCode }
        }
    }

    private static let batch = 32

    private static func header(
        for code: EnrolmentCode,
        on session: any FleetSession,
        by deadline: Deadline
    ) throws(FleetError) -> FleetHeader {
        var reason = FleetError.wrongCode
        var rest = try session.listHeaders(after: 0, by: deadline)[...]
        while !rest.isEmpty {
            let batch = Array(rest.suffix(Self.batch))
            rest = rest.dropLast(batch.count)
            for bytes in try session.headers(batch, by: deadline).reversed() {
                do throws(FleetError) {
                    let header = try FleetHeader(bytes)
                    try header.checkInvitation(for: code)
                    return header
                } catch {
                    // Bytes that are no header tell nothing about the code.
                    let tells = error.code == .schemaVersion || (try? FleetHeader(bytes)) != nil
                    if reason.code == .wrongCode, tells { reason = error }
                }
            }
        }
        throw reason
    }
}
