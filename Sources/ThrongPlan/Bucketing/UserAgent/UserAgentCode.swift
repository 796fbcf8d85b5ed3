/// A user agent's families as small numbers of a ``UserAgentCache``'s vocabulary; zero is a family that nobody named.
///
/// All that is remembered of a user agent: no part of what a client sent can be read back from it.
struct UserAgentCode: Sendable, Hashable {
    /// uap-core's own name, where a plan named that.
    var browser: UInt16 = 0
    /// The family that it is gathered into.
    var browserFamily: UInt16 = 0
    /// uap-core's own name, where a plan named that.
    var operatingSystem: UInt16 = 0
    /// The family that it is gathered into.
    var operatingSystemFamily: UInt16 = 0
    /// What it runs on.
    var deviceClass: DeviceClass = .other
}
