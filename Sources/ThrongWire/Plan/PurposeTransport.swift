/// The way in which a purpose's data reaches the daemon.
public enum PurposeTransport: String, Sendable, Hashable, Codable, CaseIterable {
    /// Straight from the device to the daemon, which sees the address while a request arrives.
    case direct
    /// Sealed and through a relay. The daemon sees no address, and accepts the purpose's data in no other way.
    case oblivious
}
