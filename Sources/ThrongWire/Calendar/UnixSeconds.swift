internal import Foundation

/// An instant: whole seconds since 1970-01-01T00:00:00Z, negative before. Leap seconds are not counted.
///
/// Arithmetic traps beyond `Int64`, as that of `Int64` does. In JSON, and where it is printed, it is its bare number.
public struct UnixSeconds: Hashable, Comparable, Sendable {
    /// The number that files, SQL and tables hold. Unit: seconds.
    public let value: Int64

    /// Wraps a number of seconds.
    @inlinable public init(_ value: Int64) { self.value = value }

    /// 1970-01-01T00:00:00Z.
    public static let epoch = UnixSeconds(0)
    /// The earliest instant.
    public static let min = UnixSeconds(.min)
    /// The latest instant.
    public static let max = UnixSeconds(.max)

    /// Orders by time.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    /// Compares the numbers; written out so that loops over events in other modules can inline it.
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.value == right.value }

    /// The instant so many seconds later.
    @inlinable public static func + (time: Self, seconds: Int64) -> Self { Self(time.value + seconds) }

    /// The instant so many seconds earlier.
    @inlinable public static func - (time: Self, seconds: Int64) -> Self { Self(time.value - seconds) }

    /// Moves on by so many seconds.
    @inlinable public static func += (time: inout Self, seconds: Int64) { time = time + seconds }

    /// Returns the time from `earlier` to `later`; negative if `later` is the earlier of the two. Unit: seconds.
    @inlinable public static func - (later: Self, earlier: Self) -> Int64 { later.value - earlier.value }

    /// Returns the number of whole stretches of `seconds` from 1970 to the instant, rounded towards minus infinity.
    ///
    /// - Parameter seconds: the length of a stretch, above zero.
    package func flooredQuotient(by seconds: Int64) -> Int64 { value.flooredQuotient(by: seconds) }
}

extension UnixSeconds: CustomStringConvertible {
    /// The number: `1795395600`.
    public var description: String { value.description }
}

extension UnixSeconds: Codable {
    /// Reads the number.
    public init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// Tells the time of day; injected so that tests can choose it.
package struct UnixClock: Sendable {
    private let read: @Sendable () -> UnixSeconds

    /// A clock that asks the given closure.
    package init(_ read: @escaping @Sendable () -> UnixSeconds) { self.read = read }

    package static let system = UnixClock { UnixSeconds(Int64(time(nil))) }

    package var now: UnixSeconds { read() }
}
