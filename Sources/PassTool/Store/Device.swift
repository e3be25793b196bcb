internal import PassAuth

/// What tokens are bound to, and the machine that it was derived from, if it was.
struct Device {
    let identity: DeviceIdentity
    let machine: MachineID?
}
