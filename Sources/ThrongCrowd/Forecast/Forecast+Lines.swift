internal import ThrongPlan
package import ThrongReport

extension Forecast {
    /// Tables for a terminal.
    package var lines: [String] {
        [
            "\(Wording.english.count(days, "day")), each of \(Wording.english.count(devices, "device")) that do what "
                + "somebody of the crowd did; of the days the median."
        ] + taken + ["", "How many are alone with what a batch says of them"]
            + Self.columns([["purpose", "devices", "as values", "in buckets", "a batch tells"]] + crowding.map(\.row))
            + [""] + told + [
                "", "What would be shown of a day; what is close to k may or may not be, by chance",
                "(No forecast knows which of your people's fields go together, nor their hours.)",
            ]
            + Self.columns(
                [["metric", "grouping", "shown", "may be", "of its events", "events off by", "devices off by"]]
                    + metrics.flatMap(\.rows)) + ["", "When the first number comes"]
            + Self.columns(metrics.map { [$0.metric, $0.firstNumber] }) + bounds + decayed
    }

    private var taken: [String] {
        guard !proved.isEmpty else { return [] }
        return [
            "All are taken to prove themselves for \(proved.joined(separator: ", ")); the more can't, the more is withheld."
        ]
    }

    private var told: [String] {
        guard let whole = crowding.last else { return [] }
        return ["What each dimension tells of a device, in bits: each halves those that it can be"]
            + Self.columns(whole.dimensions.map { [$0.dimension, Uniqueness.text($0.bits)] })
    }

    private var bounds: [String] {
        let rows = metrics.compactMap { metric -> [String]? in
            guard let bound = metric.bound else { return nil }
            let now = "\(Wording.english.number(bound.bound)) cuts \(Self.percent(bound.cut)) of its events"
            guard bound.suggested != bound.bound else { return [metric.metric, now] }
            return [
                metric.metric, now,
                "\(Wording.english.number(bound.suggested)) would cut \(Self.percent(bound.suggestedCut)), "
                    + "with margins of events \(BoundForecast.change(from: bound.bound, to: bound.suggested)) as wide",
            ]
        }
        guard !rows.isEmpty else { return [] }
        return ["", "What bounds on a device's events cut; metrics of the same events take the largest of theirs"]
            + Self.columns(rows)
    }

    private var decayed: [String] {
        let rows = metrics.flatMap { metric in
            metric.decay.map { cost in
                [
                    metric.metric, cost.step,
                    "\(cost.numbersAfter) of \(cost.numbersBefore) numbers a \(metric.period.rawValue) are left",
                ]
            }
        }
        return rows.isEmpty ? [] : ["", "What decay takes"] + Self.columns(rows)
    }

    /// "99.3%"; "100%" is all, and "0%" nothing.
    static func percent(_ share: Double) -> String {
        let tenths = share <= 0 ? 0 : share >= 1 ? 1000 : min(max(Int((share * 1000).rounded()), 1), 999)
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }

    /// Rows whose columns stand under each other.
    private static func columns(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { place in rows.filter { $0.count > place }.map { $0[place].count }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).enumerated().map { place, cell in
                place == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }
            return "  " + padded.joined(separator: "  ")
        }
    }
}

extension Uniqueness {
    fileprivate var row: [String] {
        [
            purpose ?? "all together", Wording.english.number(devices), alone(uniqueValues), alone(uniqueBuckets),
            "\(Self.text(bits)) bits",
        ]
    }

    private func alone(_ count: Int) -> String {
        "\(Wording.english.number(count)) (\(Forecast.percent(Double(count) / Double(max(devices, 1)))))"
    }

    /// "5.21".
    fileprivate static func text(_ bits: Double) -> String {
        let hundredths = Int64((bits * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

extension MetricForecast {
    fileprivate var rows: [[String]] {
        guard !groupings.isEmpty else { return [[metric, "the crowd has none of its events"]] }
        return groupings.map { grouping in
            [
                metric, grouping.dimensions.isEmpty ? "total" : grouping.dimensions.joined(separator: " \u{00d7} "),
                Wording.english.number(grouping.numbers),
                Wording.english.number(max(0, grouping.reached - grouping.numbers)),
                Forecast.percent(grouping.shown), "\u{00b1}\(Wording.english.number(Int(grouping.eventMargin)))",
                grouping.deviceMargin.map { "\u{00b1}\(Wording.english.number(Int($0)))" } ?? "-",
            ]
        }
    }

    fileprivate var firstNumber: String {
        if let firstNumberHours { return "within \(Wording.english.count(firstNumberHours, "hour"))" }
        if let devicesForTotal {
            return "never: its total takes about \(Wording.english.number(devicesForTotal)) devices a day"
        }
        return "not known"
    }
}

extension ReleasedBound {
    /// A line for a terminal.
    package var line: String {
        func number(_ number: Int) -> String { Wording.english.number(number) }
        guard let exceeded else {
            return "metric '\(metric)': no released number of '\(frequency)' tells what its bound cuts"
        }
        if let chosen {
            let periods = Wording.english.count(periods, "period")
            let bound = number(chosen)
            return "metric '\(metric)': its next release takes bound \(bound), as '\(frequency)' tells in \(periods)"
        }
        var line = "metric '\(metric)': contribution_bound \(number(bound)) is exceeded by \(exceeded.text), "
        line += "as '\(frequency)' tells in \(Wording.english.count(periods, "period"))"
        if let suggested, let part = suggestedExceeded {
            line += "; \(number(suggested)) would be by \(part.text), with margins of events "
            line += "\(BoundForecast.change(from: bound, to: suggested)) as wide"
        } else if exceeded.least > Self.mostExceeded {
            line += "; that is too low, and a band that few reach would tell by how much"
        }
        return line
    }
}

extension ReleasedBound.Part {
    fileprivate var text: String {
        let (low, high) = (Forecast.percent(least), Forecast.percent(most))
        return low == high ? low : "\(low) to \(high)"
    }
}

extension BoundForecast {
    /// The width that margins of events have by another bound, in parts of those that are: "0.17 times".
    fileprivate static func change(from bound: Int, to other: Int) -> String {
        // Below 2.5 a bound narrows nothing.
        let (halves, others) = (max(5, 2 * bound), max(5, 2 * other))
        let hundredths = (100 * others + halves / 2) / halves
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) times"
    }
}
