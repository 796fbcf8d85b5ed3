internal import ThrongNoise

extension Plan {
    /// The life of counters behind released numbers, for the record.
    static let countsText = Language.english.say(.labelCountsKept)

    /// The readers of counters behind released numbers, for the record.
    static let countsReaders = Language.english.say(.labelCountsReaders)

    /// The sentences of a processing record about margins.
    var recordedMargins: String {
        let names = metrics.map { metric in
            let unit = purpose(metric.purpose)?.unit ?? .action
            let (devices, bounds) = roughMargin(of: metric)
            let name = [.device: "a device and day", .visit: "a visit"][unit] ?? "an action"
            let cost = marginCost(of: metric).map { ", ρ \($0) for \(name)" } ?? ""
            let off = unit == .action ? "what \(bounds) actions add" : "\(devices) \(unit.many)"
            let least = "\(metric.threshold.devices)\(unit == .action ? " actions" : "")"
            return "\(metric.title) (about \(off), never of fewer than \(least)\(cost))"
        }
        return """
            Each number is off on purpose, by so much in 19 of 20 cases: \(names.joined(separator: ", ")). Half of that noise \
            stays with a question from period to period. Counters behind the numbers are exact.
            """
    }

    /// Returns the rough margins of a metric's numbers in 19 of 20 cases, of devices in devices, and of events and sums in
    /// devices' bounds. One layer of noise has the width of a rung of the ladder, the other that of k.
    func roughMargin(of metric: Metric) -> (devices: Int64, events: Int64) {
        let factors = marginFactors(of: metric)
        func margin(_ part: Double, _ factor: Int64) -> Int64 {
            let devices = Double(metric.threshold.devices)
            let square = min(devices * devices * Double(factor), 0x1p60)
            let rung = Double(KeptNoise.rungs(for: Int64(square)).last ?? 0)
            return Int64((1.96 * (rung * rung + square).squareRoot() / part).rounded())
        }
        return (margin(4, factors.devices), margin(10, factors.events))
    }
}
