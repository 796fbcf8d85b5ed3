internal import Foundation
package import ThrongPlan

/// Instants as texts such as 2026-11-20T06:00:00Z.
package enum Instant {
    package static func text(_ time: UnixSeconds) -> String {
        Date(timeIntervalSince1970: Double(time.value)).formatted(.iso8601)
    }

    /// Nil for a text of any other shape.
    package static func time(_ text: String) -> UnixSeconds? {
        do {
            let time = UnixSeconds(Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970))
            return self.text(time) == text ? time : nil
        } catch {
            return nil
        }
    }

    package static func isReadable(_ text: String?) -> Bool { text.map { time($0) != nil } ?? true }
}
