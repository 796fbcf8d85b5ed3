internal import ThrongPlan
internal import ThrongSuppression

/// A number of events that readers have, or will have unless it is held back: what it is about, and what is known of the
/// devices behind it.
struct KnownNumber {
    let box: AtomSpace.Box
    /// Which of the tied tables.
    let table: Int
    /// Numbers of one grouping of one release have one family: they have no event in common.
    let family: Int
    /// Unit: events.
    let value: Int64
    /// As ``value``: of all identifiers, where that is of proved ones.
    let everybody: Int64
    /// Whether it is the release's own, and not given away by what is published already.
    let isFree: Bool
    /// Whether it is a tied metric's total that is to be released later: nothing finer is to stand in its way.
    let isExpected: Bool
    /// Its level: 0 for totals.
    let level: Int
    /// By window, the identifiers that its cell has, at least. Unit: identifiers.
    let least: [Int64: Int64]
    /// By window, at most; nil where nobody counted them.
    let most: [Int64: Int64]?
    /// The devices that proved to be in it, in a period of its own time. Unit: devices.
    let proved: Int64
    /// What its table takes of an identifier.
    let intake: Intake
    /// Whether its period is made of whole windows.
    let holdsWindows: Bool
}

/// A cell behind which k devices are proved, published or not: what holds all of its events stands for k devices.
struct ProvedCell {
    let box: AtomSpace.Box
    /// Unit: events.
    let value: Int64
    /// By window, the identifiers that it has at least. Unit: identifiers.
    let least: [Int64: Int64]
    /// The devices that proved to be in it, in a period of its own time. Unit: devices.
    let proved: Int64
    /// What its table takes of an identifier.
    let intake: Intake
}

/// What a table takes of an identifier in a window. Of two with the same, one counts what the other counts.
struct Intake: Hashable {
    /// Which events of which clients: the first table that counts the same.
    let counted: Int
    let rotation: Rotation
    /// Unit: events.
    let bound: Int64
}

extension CubeSlab {
    /// By window, the identifiers of a cell: at least, and at most where its grouping's were counted.
    func identifiers(at place: Int, in layout: MetricLayout) -> (least: [Int64: Int64], most: [Int64: Int64]?) {
        var parts: [DeviceCounts.WindowKey: Int64] = [:]
        // What proved itself in a whole period is no identifier of a window.
        for row in devices[place].rows where row.window.length == 0 {
            parts[row.window] = (parts[row.window] ?? 0).addedClamped(row.devices)
        }
        var least: [Int64: Int64] = [:]
        var most: [Int64: Int64] = [:]
        // Two parts of a period may share a window, and a device may be in both.
        for (window, devices) in parts {
            least[window.number] = max(least[window.number] ?? 0, devices)
            most[window.number] = (most[window.number] ?? 0).addedClamped(devices)
        }
        return (least, layout.counting(margin) == nil ? nil : most)
    }

    /// The most devices of a cell that proved themselves in a period. Unit: devices.
    func proved(at place: Int) -> Int64 {
        var periods: [DeviceCounts.WindowKey: Int64] = [:]
        for row in devices[place].rows where row.window.length > 0 {
            periods[row.window] = (periods[row.window] ?? 0).addedClamped(row.devices)
        }
        return periods.values.max() ?? 0
    }
}

extension KnownNumber {
    /// The devices that it has at most, in all of its time: no more than identifiers. Nil where nobody counted them.
    var mostDevices: Int64? { most?.values.reduce(0) { $0.addedClamped($1) } }
}
