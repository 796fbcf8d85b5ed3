internal import Foundation

/// Tells the time of day; injected so that tests can choose it.
package struct UnixClock: Sendable {
    private let read: @Sendable () -> Int64

    /// A clock that asks the given closure for Unix seconds.
    package init(_ read: @escaping @Sendable () -> Int64) { self.read = read }

    /// The system's clock.
    package static let system = UnixClock { Int64(time(nil)) }

    /// Unit: Unix seconds.
    package var now: Int64 { read() }
}
