/// What uap-core's rules say of one user agent. Made for the length of a call; holds parts of what a client sent.
package struct UserAgentReading: Sendable, Hashable {
    /// The browser's family as uap-core names it, such as "Mobile Safari"; ``unknown`` where no rule matches.
    package let browser: String
    /// The browser's major version, if the user agent says one.
    package let browserMajor: String?
    /// The operating system's family as uap-core names it, such as "Mac OS X"; ``unknown`` where no rule matches.
    package let operatingSystem: String
    /// The operating system's major version, if the user agent says one.
    package let operatingSystemMajor: String?
    /// The device's family as uap-core names it, such as "Spider"; ``unknown`` where no rule matches.
    package let device: String
    /// What it is, by ``DeviceClass/init(_:userAgent:)``.
    package let deviceClass: DeviceClass

    /// What uap-core calls a family that no rule names.
    package static let unknown = "Other"
}
