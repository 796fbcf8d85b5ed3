/// How what is sent for a purpose comes to the daemon.
public enum PurposeTransport: String, Sendable, Hashable, Codable, CaseIterable {
    /// From the device to the daemon, which sees the address while a request arrives.
    case direct
    /// Sealed, through a relay: the daemon sees no address, and takes it in no other way.
    case oblivious
}
