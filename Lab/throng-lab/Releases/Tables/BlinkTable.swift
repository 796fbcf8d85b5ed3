import ThrongCrowd
import ThrongPlan
import ThrongRelease
internal import ThrongSystem

/// Numbers that are shown, gone and shown again, while their devices stay far over k: must 0.
enum BlinkTable {
    private struct Place: Hashable {
        let metric: MetricName
        let grouping: Margin
        let cell: CellIndex
    }

    /// A number on one day.
    private struct Moment {
        let isShown: Bool
        /// Unit: devices.
        let devices: Int64
        /// From here on it may not blink: three margins over k. Unit: devices.
        let far: Int64
    }

    static func print(_ shop: Shop, devices: Int, days: Int, _ musts: inout Musts) throws {
        var series: [Place: [Moment]] = [:]
        var dice = SeededGenerator(seed: 20_261_121)
        for number in 0..<days {
            // Crowds differ as those of the demonstration do.
            let share: Double = 0.86 + 0.14 * dice.fraction()
            for made in try shop.day(number, devices: Int(Double(devices) * share)).made { add(made, to: &series) }
        }
        let blinking = series.filter { Self.blinks($0.value.map(\.isShown)) }
        let far = blinking.filter { $0.value.allSatisfy { $0.devices >= $0.far } }
        Swift.print("\(devices) devices, \(days) days: \(series.count) numbers")
        musts.say("\(blinking.count) come and go, \(far.count) of them far over k", must: "0", far.isEmpty)
        for (place, moments) in blinking.sorted(by: {
            ($0.key.metric, $0.key.grouping) < ($1.key.metric, $1.key.grouping)
        }) {
            let days = moments.map { $0.isShown ? "#" : "." }.joined()
            let range = "\(moments.map(\.devices).min() ?? 0) to \(moments.map(\.devices).max() ?? 0) devices"
            Swift.print("  \(place.metric), split by \(place.grouping.bits.nonzeroBitCount): \(days)  \(range)")
        }
    }

    private static func add(_ made: ForecastDay.Made, to series: inout [Place: [Moment]]) {
        let header = made.decision.release.header
        for grouping in header.groupings {
            guard let margin = header.deviceMargin(of: grouping) else { continue }
            let shown = Set(made.decision.release.cells.filter { $0.margin == grouping }.map(\.cell))
            for (cell, devices) in made.devices(by: grouping) {
                let place = Place(metric: header.layout.metric, grouping: grouping, cell: cell)
                series[place, default: []].append(
                    Moment(
                        isShown: shown.contains(cell), devices: devices, far: header.threshold.devices + 3 * margin))
            }
        }
    }

    private static func blinks(_ days: [Bool]) -> Bool {
        guard let first = days.firstIndex(of: true), let last = days.lastIndex(of: true) else { return false }
        return days[first...last].contains(false)
    }
}
