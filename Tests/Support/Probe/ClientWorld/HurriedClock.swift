internal import Foundation
internal import ThrongClient

/// A clock that all processes of a test share and that runs sixty times as fast, so that a minute's lease is over in a second.
package struct HurriedClock: ClientClock {
    private let start: Double

    /// - Parameter start: when it showed the right time. Unit: Unix seconds.
    package init(since start: Int64) { self.start = Double(start) }

    package var unixSeconds: Int64 { Int64(start + (Date().timeIntervalSince1970 - start) * 60) }

    package func sleep(seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds / 60)) }
}
