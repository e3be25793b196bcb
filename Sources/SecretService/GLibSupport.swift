@_exported public import class GLibSupport.Cancellation
// A deadline, and a way to call it off, stand below the keyring, as whatever waits for something needs them; apps get them
// from here. The rest of the module is GLib's plumbing, which no app sees.
@_exported public import struct GLibSupport.Deadline
