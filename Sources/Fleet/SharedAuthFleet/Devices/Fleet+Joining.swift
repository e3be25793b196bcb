public import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthRecords

extension Fleet {
    /// Makes this device one of the fleet's, with the code that a device of the fleet shows while it waits for this one.
    ///
    /// - Throws: `alreadyEnrolled` if this device belongs to a fleet; `wrongCode` if no device waits for the code, or it
    ///   did not answer by the deadline; `forgedHeader` if the server shows another fleet; an error of the server. If the
    ///   outcome is unknown, the fleet may list this device, which has forgotten its keys: look for it with
    ///   ``devices(by:)``, and remove it.
    public func join(
        at address: ServerAddress,
        with code: EnrolmentCode,
        deviceName: String,
        by deadline: Deadline
    ) throws(FleetError) {
        try checkNotEnrolled(by: deadline)
        let keys = DeviceKeys()
        let device = NewDevice(keys, named: deviceName)
        guard device.isUsable else { throw .longDeviceName }
        try onServer(at: address, by: deadline) { session throws(FleetError) in
            try session.listen(by: deadline)
            guard code.isAwaited(in: try session.read(Enrolment.host, by: deadline).record) else { throw .wrongCode }
            try session.ask(for: device, with: code, by: deadline)
            do throws(FleetError) {
                let header = try session.admission(of: device, with: code, by: deadline)
                try header.checkAdmission(of: device, with: keys)
                try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
                    try records.updateDevice(by: deadline) { _ in
                        FleetDevice(address: address, keys: keys, name: deviceName, header: header)
                    }
                }
            } catch {
                guard error.code != .wrongCode else { throw error }
                throw FleetError(
                    error.code,
                    error.message,
                    remedy: "Run sharedauth fleet devices on the other device; if it lists this one, revoke it there. "
                        + "Then enrol this device again.",
                    outcomeIsUnknown: true
                )
            }
        }
    }
}

extension FleetSession {
    /// Leaves the guest's letter.
    fileprivate func ask(
        for device: NewDevice,
        with code: EnrolmentCode,
        by deadline: Deadline
    ) throws(FleetError) {
        let letter = try code.seal(device, at: Enrolment.guest)
        try transaction(by: deadline) { () throws(FleetError) in
            _ = try lock(Enrolment.guest, by: deadline)
            try leave(letter, at: Enrolment.guest, by: deadline)
        }
    }

    /// Waits for the host's answer, and returns the header that lists the device.
    ///
    /// - Throws: `wrongCode` if the host admitted another device, waits no more, or does not answer. Then it never will:
    ///   the guest's letter is gone.
    fileprivate func admission(
        of device: NewDevice,
        with code: EnrolmentCode,
        by deadline: Deadline
    ) throws(FleetError) -> FleetHeader {
        // The rest is for taking the letter away.
        let wait = deadline.atMost(deadline.remaining * 3 / 4)
        while !wait.isPast {
            let request = try request(with: code, by: deadline)
            // After the request: the host takes it away when it answers.
            guard let invitation = try invitation(with: code, by: deadline), invitation.admitted == nil else { break }
            // Something else took the place of the letter.
            if request == nil { try ask(for: device, with: code, by: deadline) }
            _ = try waitForChange(by: wait.atMost(Enrolment.pause))
        }
        // The host answers under this lock: it has answered, or never will.
        let admission = try transaction(by: deadline) { () throws(FleetError) -> Enrolment.Admission? in
            let letter = try lock(Enrolment.guest, by: deadline)
            if let admitted = try invitation(with: code, by: deadline)?.admitted, admitted.id == device.id {
                return admitted
            }
            if code.request(in: letter) == device { try leave(nil, at: Enrolment.guest, by: deadline) }
            return nil
        }
        guard let admission else { throw .wrongCode }
        return try header(admission.header, by: deadline)
    }

    /// Returns the header with a digest.
    private func header(_ digest: Data, by deadline: Deadline) throws(FleetError) -> FleetHeader {
        let listed = try listHeaders(after: 0, by: deadline).filter { $0.digest == digest }
        for bytes in try headers(listed, by: deadline) {
            if let header = try? FleetHeader(bytes), header.digest == digest { return header }
        }
        throw .forgedHeader("the one that lists this device is missing")
    }
}

extension FleetHeader {
    /// Checks that a device of the header wrote it, and lists a new device in it.
    ///
    /// - Throws: `forgedHeader`.
    fileprivate func checkAdmission(of device: NewDevice, with keys: DeviceKeys) throws(FleetError) {
        guard isSignedByItsDevice, device.isListed(in: self) else {
            throw .forgedHeader("it does not list this device")
        }
        _ = try self.keys(for: keys)
    }
}
