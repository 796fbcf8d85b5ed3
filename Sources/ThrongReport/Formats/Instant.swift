internal import Foundation

/// Unix seconds as texts such as 2026-11-20T06:00:00Z.
package enum Instant {
    /// The text of an instant.
    package static func text(_ unixSeconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(unixSeconds)).formatted(.iso8601)
    }

    /// Nil for a text of any other shape.
    package static func seconds(_ text: String) -> Int64? {
        do {
            let seconds = Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
            return self.text(seconds) == text ? seconds : nil
        } catch {
            return nil
        }
    }

    /// Whether a text is an instant, or there is none.
    package static func isReadable(_ text: String?) -> Bool { text.map { seconds($0) != nil } ?? true }
}
