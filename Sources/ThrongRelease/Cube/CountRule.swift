internal import ThrongFaults
internal import ThrongPlan

/// What the devices of a cell prove about its events: how many of them one device can have sent, and how many devices
/// it takes to send so many.
///
/// Nobody tracks who sent how many events. But in each window an identifier sends at most the contribution bound, and each
/// that was counted sent at least one. So with D identifiers in each of W windows and T events, one device has sent at
/// most `min(bound · W, T − Σ(D − 1))` of them, and all but any two at least `max(Σ(D − 2), T − 2 · bound · W)`.
///
/// A window of which only is known that identifiers were in it (``StoredCube``) has none of them, and the bound all the same.
///
/// Where D devices proved to be in the cell in the whole period, each of these sent one, too: all but one sent D − 1. That is no
/// further window, and nothing to be added to the windows' sum: whichever of the two is more holds.
struct CountRule {
    /// Unit: events.
    let events: Int64
    /// Distinct identifiers by window, as far as they are known. Unit: identifiers.
    private let identifiers: [Int64]
    /// Devices that proved themselves: of each length of time, those of its periods, which have nothing in common. Unit: devices.
    private let proved: [[Int64]]
    /// Events that one identifier may add in a window.
    private let bound: Int64

    /// Looks at one cell.
    init(events: Int64, devices: DeviceCounts, bound: Int) {
        self.events = events
        var windows: [DeviceCounts.WindowKey: Int64] = [:]
        var periods: [Int: [DeviceCounts.WindowKey: Int64]] = [:]
        for row in devices.rows where row.devices > 0 || row.window.length == 0 {
            if row.window.length > 0 {
                let length = row.window.length
                periods[length, default: [:]][row.window] =
                    (periods[length]?[row.window] ?? 0).addedClamped(row.devices)
            } else {
                windows[row.window] = (windows[row.window] ?? 0).addedClamped(row.devices)
            }
        }
        identifiers = windows.sorted { $0.key < $1.key }.map(\.value)
        // Longer periods may begin in one another: of these each stands alone.
        proved = periods.flatMap { length, known in length == 1 ? [Array(known.values)] : known.values.map { [$0] } }
        self.bound = Int64(bound)
    }

    /// Looks at events of which it is known by window how many identifiers sent some at least, 0 included.
    ///
    /// - Parameter proved: how many devices at least sent some, whatever the windows say.
    init(events: Int64, identifiers: [Int64], bound: Int64, proved: Int64 = 0) {
        self.events = events
        self.identifiers = identifiers
        self.proved = [[proved]]
        self.bound = bound
    }

    /// The most that one device can have sent. Unit: events.
    var largest: Int64 { most(of: 1) }

    /// The most that so many devices can have sent together. Unit: events.
    private func most(of devices: Int64) -> Int64 {
        func others(_ known: [Int64]) -> Int64 { known.reduce(0) { $0.addedClamped(max(0, $1 - devices)) } }
        let windows = Int64(identifiers.count)
        // Where no identifiers are known, anybody can have sent all.
        let most = windows > 0 ? bound.multipliedClamped(by: windows).multipliedClamped(by: devices) : events
        let least = proved.reduce(others(identifiers)) { max($0, others($1)) }
        return max(0, min(most, events - least))
    }

    /// The p % rule: T − X12 ≥ p/100 · X1.
    func passes(_ protection: Protection) -> Bool {
        if Fault.allowDominance.isOn { return true }
        return 100 * Int128(events - most(of: 2)) >= Int128(protection.percent) * Int128(largest)
    }

    /// Whether some of the events stand for k devices, whoever sent them.
    ///
    /// - Parameters:
    ///   - part: how many of them.
    ///   - limit: the most of those that one device has sent; nil where nothing is known but what holds of all events.
    func isReached(_ threshold: Threshold, by part: Int64, limit: Int64? = nil) -> Bool {
        let fewer = threshold.devices - 1
        let most = min(most(of: fewer), limit.map { $0.multipliedClamped(by: fewer) } ?? .max)
        return part > most
    }
}

extension SumMeasure {
    /// Whether the clip leaves two values only, one unit of the last decimal apart: such a sum says how many events are of
    /// the one kind, and how many of the other.
    var isFlag: Bool { quantum(of: highest).subtractedClamped(quantum(of: lowest)) == 1 }
}

extension ReleaseFrame {
    /// By sum that is a flag, by leaf: the events with its lower value. Those with the upper one are in ``measures``.
    var lowerKinds: [[Int64]] {
        layout.sums.indices.filter { layout.sums[$0].isFlag }.map { sum in
            leaves.indices.map { max(0, measures[0][$0].subtractedClamped(measures[sum + 1][$0])) }
        }
    }
}
