/// Where a ``Throng`` takes secrets, batch names, samples and jitter from.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private let source: @Sendable () -> UInt64

    /// Takes any source of 64 random bits; for anything but tests it must be a cryptographic one.
    public init(_ source: @escaping @Sendable () -> UInt64) { self.source = source }

    /// The system's cryptographic generator.
    public static let system = RandomSource {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// 64 random bits.
    public func next() -> UInt64 { source() }
}
