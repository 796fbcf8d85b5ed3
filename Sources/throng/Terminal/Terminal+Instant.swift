import ThrongPlan
import ThrongReport
import ThrongSystem

extension Terminal {
    /// 2026-11-20T06:00:00Z.
    static func instant(_ time: UnixSeconds) -> String { Instant.text(time) }
}
