internal import ThrongWire

/// The correction of the device's clock by the daemon's: hours off, no window would be open.
struct ClockCorrection: Codable, Sendable {
    /// The amount to add to the clock. Unit: seconds.
    private(set) var seconds: Int64 = 0
    /// The number of changes so far.
    private var changes = 0
    /// The clock's reading at the last change; nil before the first.
    private var changed: UnixSeconds?

    /// The last time that calendars know: the year 9999's.
    static let latest = UnixSeconds(253_402_214_400)

    /// The largest error that is not corrected: a plan's date may be five minutes old. Unit: seconds.
    private static let tolerance: Int64 = 360
    /// The least time between two changes, by the device's own clock. Unit: seconds.
    private static let pause: Int64 = 3600

    /// Returns the time, from the reading of a device's clock.
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

    /// The mark that tells identifiers before and after a change apart, so that none is seen in two windows.
    var mark: String { changes == 0 ? "" : "\u{1f}\(changes)" }
}
