/// The identifier that devices show for a purpose, if any.
public enum PurposeIdentifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// A random one, another in each window.
    case rotating
    /// None: a value is sent, and a counter goes up. Nobody knows how many devices there were.
    case absent = "none"
}

/// The devices that a purpose's floors count: these alone can reach k.
public enum FloorKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// All devices that show an identifier. Identifiers can be made up, so k is a bound against honest clients.
    case any
    /// Devices whose identifier is proved by a credential. Others add to values, and to no floor.
    case attested
}

/// The way in which a purpose's data reaches the daemon.
public enum PurposeTransport: String, Sendable, Hashable, Codable, CaseIterable {
    /// Straight from the device to the daemon, which sees the address while a request arrives.
    case direct
    /// Sealed and through a relay. The daemon sees no address, and accepts the purpose's data in no other way.
    case oblivious
}

/// The senders whose batches a purpose takes.
public enum PurposeSenders: String, Sendable, Hashable, Codable, CaseIterable {
    /// Clients and backends.
    case anybody
    /// Backends only, which show a secret.
    case backends
}
