import ThrongCrowd
import ThrongPlan
import ThrongRelease

/// Numbers that are shown of crowds of several sizes, and how far off they are: over some days.
struct ShownTable {
    let days: Int

    /// The distance from the counted devices that 19 of 20 must keep, by how many dimensions a number is split by. Unit: devices.
    private static let mostOff: [Int64] = [13, 16, 20]

    func print(_ shop: Shop, _ crowds: [Int], _ musts: inout Musts) throws {
        var off: [Int: [Int64]] = [:]
        for devices in crowds {
            let clock = ContinuousClock()
            let start = clock.now
            var all: [Figures] = []
            for number in 0..<days {
                // Each day by a secret of its own, so that what is kept is drawn as often as what is fresh.
                all.append(Figures(try shop.day(number, devices: devices, secret: UInt64(number))))
            }
            let seconds = (clock.now - start) / .seconds(1)
            Swift.print("\(devices) devices a day, \(days) days, \((seconds * 10).rounded() / 10) s")
            let rows = all.flatMap(\.rows)
            musts.say("numbers: \(rows.text)", must: "97.5 % of those with k and the margin", rows.areShown)
            for split in 0...2 {
                let found = all.flatMap { $0.bySplit[split] ?? [] }
                guard !found.isEmpty else { continue }
                Swift.print("  \(Self.name(split)): \(Self.line(found, days: days))")
                off[split, default: []] += found.compactMap(\.devicesOff)
            }
            Self.judgePages(all, devices, &musts)
        }
        Swift.print("devices of all these crowds, as told and as counted")
        for (split, most) in Self.mostOff.enumerated() {
            guard let found = off[split]?.sorted(), !found.isEmpty else { continue }
            let within = found[(found.count * 19 + 19) / 20 - 1]
            musts.say(
                "19 of 20 of \(found.count) \(Self.name(split)) are off by \(within) at most", must: "\(most)",
                within <= most)
        }
    }

    private static func name(_ split: Int) -> String {
        split == 0 ? "totals" : split == 1 ? "one-way numbers" : "two-way numbers"
    }

    /// Page views, whose margins must be small beside all of them, and beside what 60 devices of a group send.
    private static func judgePages(_ all: [Figures], _ devices: Int, _ musts: inout Musts) {
        let allowed: [Int: [Double]] = [300: [0.04, 0.2], 20_000: [0.003]]
        for (split, most) in (allowed[devices] ?? []).enumerated() {
            let pages = all.flatMap { $0.bySplit[split] ?? [] }.filter { $0.metric == "pages" && $0.devices > 0 }
            let found = pages.map { (page: Figures.Shown) -> Double in
                split == 0 ? page.relative : page.relative * Double(page.devices) / 60
            }
            guard !found.isEmpty else { continue }
            let relative = found.sorted()[found.count / 2]
            musts.say(
                "\(name(split)) of page views\(split == 0 ? "" : " of 60 devices"): ±\(percent(relative)) in the median",
                must: Self.percent(most),
                relative <= most)
        }
    }

    private static func percent(_ part: Double) -> String { "\((part * 10_000).rounded() / 100) %" }

    /// Distances of numbers of events, and how many lie within their margins: must 19 of 20.
    private static func line(_ found: [Figures.Shown], days: Int) -> String {
        let within = Double(found.count { $0.isWithin }) / Double(found.count)
        let relative = found.map(\.relative).sorted()[found.count / 2]
        let devices = found.compactMap(\.deviceMargin).sorted()
        let text = devices.isEmpty ? "none" : "±\(devices[devices.count / 2])"
        return "\(found.count / days) a day; devices \(text); events ±\(percent(relative)) in the median; "
            + "\(percent(within)) of them within their margin"
    }
}

/// One day in numbers.
struct Figures {
    /// A number that is shown.
    struct Shown {
        let metric: MetricName
        /// As they were counted.
        let events: Int64
        let margin: Int64
        let isWithin: Bool
        /// As they were counted.
        let devices: Int64
        let deviceMargin: Int64?
        /// Of the told devices from the counted ones; nil where none are told.
        let devicesOff: Int64?

        var relative: Double { Double(margin) / Double(max(events, 1)) }
    }

    /// By how many dimensions they are split by.
    private(set) var bySplit: [Int: [Shown]] = [:]
    private(set) var rows: [Row] = []

    init(_ day: ForecastDay) {
        for made in day.made { add(made) }
    }

    private mutating func add(_ made: ForecastDay.Made) {
        let header = made.decision.release.header
        for grouping in header.groupings {
            let (events, devices) = (made.events(by: grouping), made.devices(by: grouping))
            guard let margin = header.margin(of: grouping) else { continue }
            let (split, deviceMargin) = (grouping.bits.nonzeroBitCount, header.deviceMargin(of: grouping))
            let cells = made.decision.release.cells.filter { $0.margin == grouping }
            for cell in cells {
                let truth = events[cell.cell] ?? 0
                bySplit[split, default: []].append(
                    Shown(
                        metric: header.layout.metric, events: truth, margin: margin,
                        isWithin: abs(cell.count - truth) <= margin, devices: devices[cell.cell] ?? 0,
                        deviceMargin: deviceMargin,
                        devicesOff: cell.reach.map { abs($0.devices - (devices[cell.cell] ?? 0)) }))
            }
            guard let deviceMargin else { continue }
            let shown = Set(cells.map(\.cell))
            rows += devices.map { cell, devices in
                Row(
                    split: split, devices: devices, threshold: header.threshold.devices, margin: deviceMargin,
                    isShown: shown.contains(cell))
            }
        }
    }
}

extension ForecastDay.Made {
    /// By cell of a grouping, the most identifiers of any window; none where they were not counted.
    func devices(by grouping: Margin) -> [CellIndex: Int64] {
        let tracked = cube.layout.trackedMargin(for: grouping)
        guard cube.layout.trackedMargins.contains(tracked) else { return [:] }
        let project = cube.layout.projection(from: tracked, to: grouping)
        let windows = Dictionary(grouping: cube.distinct.filter { $0.margin == tracked }, by: \.window)
        return windows.values.reduce(into: [:]) { most, rows in
            var devices: [CellIndex: Int64] = [:]
            for row in rows { devices[project(row.cell), default: 0] += row.devices }
            most.merge(devices) { max($0, $1) }
        }
    }
}
