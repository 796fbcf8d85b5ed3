internal import ThrongReport

/// The time that has passed since something, as people say it.
package enum Age {
    /// "3 seconds ago", "2 days ago".
    ///
    /// - Parameter seconds: since then. Unit: seconds.
    package static func text(_ seconds: Int64) -> String {
        let (count, noun) =
            switch seconds {
            case ..<120: (max(0, seconds), "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return Wording.english.count(count, noun) + " ago"
    }
}
