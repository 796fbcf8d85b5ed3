/// The daemon's request for the value behind a hash: enough devices have sent it, so that it may become known.
public struct RevealRequest: Sendable, Hashable, Codable {
    /// The dimension whose value it is.
    public let dimension: DimensionName
    /// What the device sent.
    public let hash: RevealedHash
    /// How likely a device should be to answer, so that few need to: more than 0, at most 1.
    public let probability: Double

    /// Puts a request together.
    public init(dimension: DimensionName, hash: RevealedHash, probability: Double) {
        self.dimension = dimension
        self.hash = hash
        self.probability = probability
    }
}
