// Imports everything that apps import, and uses names of types that GLib and libsecret also have. It builds only while
// the public API of our modules exposes none of theirs.

internal import BrowserFlow
internal import ConsumerProbeNames
internal import LocalIdentity
internal import PassREST
internal import SecretService
internal import SharedAuth
internal import SharedAuthHTTP

struct Probe {
    let error: GError
    let cancellable: GCancellable
    let schema: SecretSchema
}
