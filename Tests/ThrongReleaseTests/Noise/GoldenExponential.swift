/// exp(-x), rounded down.
struct GoldenExponential: Sendable {
    /// x, as a fraction.
    let text: String
    /// Unit: 2^-62.
    let floor: UInt64
}
