/// A method call that is about to leave, as an interceptor sees it.
package struct BusCall: Sendable, Hashable {
    /// The object it goes to.
    package let path: String
    /// The interface, such as `org.freedesktop.Secret.Collection`.
    package let interface: String
    /// The method, such as `CreateItem`.
    package let member: String
    /// Its place among the calls of one ``SecretService``, from 1.
    package let ordinal: Int
}
