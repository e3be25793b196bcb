// Imports everything that apps import, and mentions types that GLib and libsecret have too. This builds only as long as
// none of theirs comes through the public API of our modules.

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
