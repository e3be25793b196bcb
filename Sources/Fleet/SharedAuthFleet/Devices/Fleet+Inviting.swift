public import DesktopSupport
internal import FoundationEssentials

extension Fleet {
    /// The permission for one new device to join with a code. It lasts an hour, and only while a thread is in
    /// ``admitDevice(by:)``, since no one else knows the code.
    public struct Invitation: Sendable {
        /// The code, to be typed on the new device.
        public let code: EnrolmentCode
        private let fleet: Fleet
        private let end: ContinuousClock.Instant

        fileprivate init(_ code: EnrolmentCode, in fleet: Fleet, until end: ContinuousClock.Instant) {
            (self.code, self.fleet, self.end) = (code, fleet, end)
        }
    }

    /// Invites one new device to join. A former code becomes void.
    ///
    /// Show the invitation's code, and call ``Invitation/admitDevice(by:)``.
    /// - Throws: `notEnrolled` if this device belongs to no fleet; `full` if the person has no room; an error of the
    ///   server.
    public func inviteDevice(by deadline: Deadline) throws(FleetError) -> Invitation {
        try inviteDevice(for: Enrolment.duration, by: deadline)
    }

    func inviteDevice(for duration: Duration, by deadline: Deadline) throws(FleetError) -> Invitation {
        let invitation = Invitation(EnrolmentCode(), in: self, until: .now + duration)
        try withMembership(by: deadline) { membership throws(FleetError) in
            let session = membership.session
            let letter = try invitation.code.seal(Enrolment.Invitation(), at: Enrolment.host)
            try session.transaction(by: deadline) { () throws(FleetError) in
                _ = try session.lock(Enrolment.host, by: deadline)
                try session.leave(letter, at: Enrolment.host, by: deadline)
            }
        }
        return invitation
    }
}

extension Fleet.Invitation {
    /// Waits for a new device that has the code, and adds it to the fleet.
    ///
    /// While the server is away, it waits for it, too. Cancel the deadline to end the wait.
    /// - Returns: The device; nil if none had come by the deadline. Then it can be called again.
    /// - Throws: `endedCode` if an hour has passed, or a device of the fleet issued a newer code; `notEnrolled`, `removed`
    ///   or `reset` if this device does not belong to the fleet any more; an error of the server, or of the local store.
    public func admitDevice(by deadline: Deadline) throws(FleetError) -> Fleet.Device? {
        let wait = deadline.atMost(ContinuousClock.now.duration(to: end))
        while true {
            do throws(FleetError) {
                if let device = try attend(until: wait) { return device }
            } catch {
                // A lost connection, or another device that changes the fleet.
                guard [.away, .conflict].contains(error.code) else { throw ended(by: error) }
            }
            if ContinuousClock.now >= end { throw ended(by: .endedCode) }
            if wait.isPast { return nil }
            let _: Void? = Monitor(()).wait(until: wait.atMost(.seconds(.random(in: 0.5...1.5)))) { _ in nil }
        }
    }

    /// Makes the code void. Waits in ``admitDevice(by:)`` end with `endedCode`.
    ///
    /// - Throws: As ``Fleet/inviteDevice(by:)``.
    public func withdraw(by deadline: Deadline) throws(FleetError) {
        try fleet.withMembership(by: deadline) { membership throws(FleetError) in
            let session = membership.session
            try session.transaction(by: deadline) { () throws(FleetError) in
                guard code.isAwaited(in: try session.lock(Enrolment.host, by: deadline)) else { return }
                try session.leave(nil, at: Enrolment.host, by: deadline)
            }
        }
    }

    /// Returns an error that ends the wait. The new device need not wait either.
    private func ended(by error: FleetError) -> FleetError {
        try? withdraw(by: .after(Enrolment.reply))
        return error
    }

    /// Waits on one connection.
    private func attend(until wait: Deadline) throws(FleetError) -> Fleet.Device? {
        try fleet.withMembership(by: wait.atMost(Enrolment.reply)) { membership throws(FleetError) in
            let session = membership.session
            try session.listen(by: wait.atMost(Enrolment.reply))
            while !wait.isPast {
                let deadline = Deadline.after(Enrolment.reply)
                guard let invitation = try session.invitation(with: code, by: deadline) else { throw .endedCode }
                if let admitted = invitation.admitted {
                    // By this device, on a connection that was lost when it answered.
                    try membership.catchUp(in: fleet.records, by: deadline)
                    return membership.listedDevice(admitted.id)
                }
                if let new = try session.request(with: code, by: deadline),
                    let admitted = try admit(new, through: &membership, by: deadline)
                {
                    return admitted
                }
                _ = try session.waitForChange(by: wait.atMost(Enrolment.pause))
            }
            return nil
        }
    }

    /// Adds a device to the list, and answers it in the same transaction.
    ///
    /// - Returns: Nil if it does not ask any more.
    private func admit(
        _ new: NewDevice,
        through membership: inout Membership,
        by deadline: Deadline
    ) throws(FleetError) -> Fleet.Device? {
        try membership.catchUp(in: fleet.records, by: deadline)
        try membership.checkRemembered()
        let session = membership.session
        let isListed = try session.transaction(by: deadline) { () throws(FleetError) in
            guard code.isAwaited(in: try session.lock(Enrolment.host, by: deadline)) else { throw .endedCode }
            guard code.request(in: try session.lock(Enrolment.guest, by: deadline)) == new else { return false }
            // It is listed if the connection was lost when the list was added.
            let device = membership.device
            if !new.isListed(in: device.header) {
                guard !device.header.body.devices.contains(where: { $0.id == new.id }) else { return false }
                let header = try device.header.admitting(new, by: device.keys, membership.keys)
                try session.add(header: header.bytes, at: membership.nextSlot, by: deadline)
                try membership.follow(header, in: fleet.records, by: deadline)
            }
            let admission = Enrolment.Admission(id: new.id, header: membership.device.header.digest)
            let answer = try code.seal(Enrolment.Invitation(admitted: admission), at: Enrolment.host)
            try session.leave(answer, at: Enrolment.host, by: deadline)
            try session.leave(nil, at: Enrolment.guest, by: deadline)
            return true
        }
        return isListed ? membership.listedDevice(new.id) : nil
    }
}

extension Membership {
    /// Returns a device of the list.
    fileprivate func listedDevice(_ id: String) -> Fleet.Device? { listedDevices.first { $0.id == id } }
}
