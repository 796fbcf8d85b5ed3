internal import Foundation

/// Tells the time of day; injected so that tests can choose it.
package struct UnixClock: Sendable {
    private let read: @Sendable () -> UnixSeconds

    /// A clock that asks the given closure.
    package init(_ read: @escaping @Sendable () -> UnixSeconds) { self.read = read }

    package static let system = UnixClock { UnixSeconds(Int64(time(nil))) }

    package var now: UnixSeconds { read() }
}
