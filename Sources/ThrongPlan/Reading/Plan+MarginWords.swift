extension Plan {
    /// What a lay person reads of a metric's margin; nil where its numbers are exact.
    func marginText(of metric: Metric) -> String? {
        guard metric.margin != nil else { return nil }
        let threshold = releaseThreshold(of: metric)
        guard purpose(metric.purpose)?.hasIdentifiers == true else {
            return """
                Each number of it is off on purpose, by up to about what \(threshold.marginInBounds) events may add, in 19 of 20 \
                cases, so that nobody can tell from it whether you sent one. A number of fewer than \(threshold.devices) events is \
                never shown.
                """
        }
        return """
            Each number of it is off on purpose, in 19 of 20 cases by up to about \(threshold.marginInDevices) devices, or what \
            \(threshold.marginInBounds) devices may add, so that nobody can tell from it whether yours is counted. A group of fewer \
            than \(threshold.devices) devices is never shown.
            """
    }

    /// The sentence of a processing record about metrics with a margin; nil where there is none.
    var recordedMargins: String? {
        let margined = metrics.filter { $0.margin != nil }
        guard !margined.isEmpty else { return nil }
        let names = margined.map { metric in
            let threshold = releaseThreshold(of: metric)
            let cost = marginCost(of: metric).map { ", ρ \($0) for \(unit(of: metric))" } ?? ""
            return purpose(metric.purpose)?.hasIdentifiers == true
                ? "\(metric.title) (about \(threshold.marginInDevices) devices, never of fewer than \(threshold.devices)\(cost))"
                : "\(metric.title) (about what \(threshold.marginInBounds) events add, never of fewer than "
                    + "\(threshold.devices) events\(cost))"
        }
        return """
            Each number is off on purpose, by so much in 19 of 20 cases: \(names.joined(separator: ", ")). Half of that noise \
            stays with a question from period to period. Counters behind the numbers are exact.
            """
    }

    private func unit(of metric: Metric) -> String {
        purpose(metric.purpose)?.hasIdentifiers == true ? "a device and day" : "an event"
    }
}

extension Threshold {
    /// About how far off a number of devices is, in 19 of 20 cases: two layers of noise of k/4 each. Unit: devices.
    fileprivate var marginInDevices: Int64 { Int64((1.96 * 2.0.squareRoot() * Double(devices) / 4).rounded()) }

    /// The same of events and sums: two layers of k/10 times what one device or event adds at most. Unit: that bound.
    fileprivate var marginInBounds: Int64 { Int64((1.96 * 2.0.squareRoot() * Double(devices) / 10).rounded()) }
}
