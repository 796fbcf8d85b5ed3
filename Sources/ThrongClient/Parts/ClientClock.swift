import Foundation

/// The source of a ``Throng``'s time.
public protocol ClientClock: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    var unixSeconds: Int64 { get }
    /// Waits; throws where the task is cancelled.
    func sleep(seconds: Double) async throws
}

/// The device's own clock.
public struct SystemClock: ClientClock {
    /// Needs nothing.
    public init() {}

    /// Seconds since 1970 as the device has them, from 1970 to 9999.
    public var unixSeconds: Int64 { Int64(min(max(Date().timeIntervalSince1970, 0), 253_402_214_400)) }

    /// Waits on the continuous clock.
    public func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(min(max(seconds, 0), 86_400)), clock: .continuous)
    }
}

/// The source of a ``Throng``'s secrets, batch names, samples and jitter.
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
