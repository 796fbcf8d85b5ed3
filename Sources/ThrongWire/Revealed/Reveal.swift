/// A device's answer to a ``RevealRequest``: the body of `POST /v1/reveals`. Who says it does not matter, so it says not.
public struct Reveal: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: AppName
    /// The purpose for which the hash was sent.
    public let purpose: PurposeName
    /// The window in which it was sent.
    public let window: Int64
    /// The dimension.
    public let dimension: DimensionName
    /// The value.
    public let value: String

    /// Puts an answer together.
    public init(app: AppName, purpose: PurposeName, window: Int64, dimension: DimensionName, value: String) {
        self.app = app
        self.purpose = purpose
        self.window = window
        self.dimension = dimension
        self.value = value
    }
}

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
