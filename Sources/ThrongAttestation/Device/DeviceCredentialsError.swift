/// The reason why a device has no credential.
public enum DeviceCredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The daemon's terms are none that this version knows, or another app's.
    case terms
    /// The daemon does not take this device's attester.
    case attester(name: String)
    /// The daemon refused, with its status and word; what it may do about it.
    case refused(status: Int, error: String)
    /// The daemon's answer is none, or does not hold for its key.
    case answer
    /// The stored bytes can't be read; they are left as they are.
    case stored

    /// The message: what was found and what to do.
    public var description: String {
        switch self {
        case .terms: "the daemon's terms are not those of throng-arc-1 for this app. Update the app or the daemon."
        case .attester(let name): "the daemon does not take the attester \(name). Ask its operator, or use another one."
        case .refused(let status, let error): "the daemon refused a credential with \(status) \(error)."
        case .answer: "the daemon's answer is no credential by the key that it publishes. Ask again later."
        case .stored: "what was stored of credentials can't be read. Read it again, or forget it."
        }
    }
}
