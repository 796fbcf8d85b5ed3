extension Plan {
    func marginText(of metric: Metric) -> String {
        let threshold = metric.threshold
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

    /// The sentences of a processing record about margins.
    var recordedMargins: String {
        let names = metrics.map { metric in
            let threshold = metric.threshold
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
    /// The rough margin of a number of devices, in 19 of 20 cases: two layers of noise of k/4 each. Unit: devices.
    fileprivate var marginInDevices: Int64 { Int64((1.96 * 2.0.squareRoot() * Double(devices) / 4).rounded()) }

    /// The rough margin of events and sums, in 19 of 20 cases: two layers of noise of k/10 times what one device or
    /// event adds at most. Unit: that bound.
    fileprivate var marginInBounds: Int64 { Int64((1.96 * 2.0.squareRoot() * Double(devices) / 10).rounded()) }
}
