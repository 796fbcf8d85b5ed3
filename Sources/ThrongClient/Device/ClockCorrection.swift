internal import ThrongWire

/// How far the device's clock is off, by the daemon's: whoever is hours wrong would send everything into windows that are
/// not open.
struct ClockCorrection: Codable, Sendable {
    /// What is to be added to the clock. Unit: seconds.
    private(set) var seconds: Int64 = 0
    /// How often it changed.
    private var changes = 0
    /// What the clock showed at the last change.
    private var changed: UnixSeconds?

    /// The last time that calendars know: the year 9999's.
    static let latest = UnixSeconds(253_402_214_400)

    /// As much may be wrong without a correction: somewhat more than the five minutes for which a plan's answer, and so its
    /// date, may be kept on the way. Unit: seconds.
    private static let tolerance: Int64 = 360
    /// No more often than this by the device's own clock. Unit: seconds.
    private static let pause: Int64 = 3600

    /// The time, by a device's clock that shows so much.
    func applied(to clock: UnixSeconds) -> UnixSeconds {
        min(max(min(max(clock, .epoch), Self.latest) + seconds, .epoch), Self.latest)
    }

    /// Learns what time it is.
    ///
    /// - Parameters:
    ///   - date: what the daemon's clock shows.
    ///   - clock: what the device's clock shows.
    /// - Returns: by how much the time has changed; 0 if it has not. Unit: seconds.
    mutating func learn(_ date: UnixSeconds, at clock: UnixSeconds) -> Int64 {
        let wanted = abs(date - clock) <= Self.tolerance ? 0 : date - clock
        let shift = wanted - seconds
        guard abs(shift) > Self.tolerance, changed.map({ abs(clock - $0) >= Self.pause }) ?? true else { return 0 }
        seconds = wanted
        changes += 1
        changed = clock
        return shift
    }

    /// What tells identifiers before and after a change apart: a daemon that sets clocks back must not see a window's
    /// identifier again.
    var mark: String { changes == 0 ? "" : "\u{1f}\(changes)" }
}
