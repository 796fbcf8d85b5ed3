internal import ThrongInsight
internal import ThrongPlan
internal import ThrongSchedule

extension Forecast {
    /// Tables for a terminal.
    package var lines: [String] {
        [
            "\(Wording.english.count(days, "day")), each of \(Wording.english.count(devices, "device")) that do what "
                + "somebody of the crowd did."
        ] + taken + [
            "",
            "How many are alone with what a batch says of them",
        ] + Self.columns([["purpose", "devices", "as values", "in buckets", "a batch tells"]] + crowding.map(\.row))
            + [""] + told
            + ["", "What would be shown"]
            + Self.columns(
                [["metric", "grouping", "of its events", "of the publishable ones"]] + metrics.flatMap(\.rows))
            + ["", "When the first number comes"]
            + Self.columns(metrics.map { [$0.metric, $0.firstNumber] })
            + decayed + changed
    }

    private var taken: [String] {
        guard !proved.isEmpty else { return [] }
        return [
            "All are taken to prove themselves for \(proved.joined(separator: ", ")); the more can't, the more is withheld."
        ]
    }

    private var told: [String] {
        guard let whole = crowding.last else { return [] }
        return ["What each dimension tells of a device, in bits"]
            + Self.columns(whole.dimensions.map { [$0.dimension, Crowding.text($0.bits)] })
    }

    private var decayed: [String] {
        let rows = metrics.flatMap { metric in
            metric.decay.map { cost in
                [
                    metric.metric, cost.step,
                    "\(cost.numbersAfter) of \(cost.numbersBefore) numbers a \(metric.period.rawValue) are left",
                ] + (cost.withheld > 0 ? ["\(MetricReview.percent(cost.withheld)) less is shown from the start"] : [])
            }
        }
        return rows.isEmpty ? [] : ["", "What decay takes"] + Self.columns(rows)
    }

    private var changed: [String] {
        guard !changes.isEmpty else { return ["", "No change of the plan is known that would show more."] }
        return ["", "What would help most"]
            + changes.enumerated().map { place, change in
                "  \(place + 1). \(change.metric): \(change.sentence) "
                    + "Up to \(Wording.english.count(change.events, "event")) a day more."
            }
    }

    /// Rows whose columns stand under each other.
    private static func columns(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { place in
            rows.filter { $0.count > place }.map { $0[place].count }.max() ?? 0
        }
        return rows.map { row in
            let padded = zip(row, widths).enumerated().map { place, cell in
                place == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }
            return "  " + padded.joined(separator: "  ")
        }
    }
}

extension Crowding {
    fileprivate var row: [String] {
        [
            purpose ?? "all together", Wording.english.number(devices), alone(uniqueValues), alone(uniqueBuckets),
            "\(Self.text(bits)) bits",
        ]
    }

    private func alone(_ count: Int) -> String {
        "\(Wording.english.number(count)) (\(MetricReview.percent(Double(count) / Double(max(devices, 1)))))"
    }

    /// "5.21".
    fileprivate static func text(_ bits: Double) -> String {
        let hundredths = Int64((bits * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

extension MetricForecast {
    fileprivate var rows: [[String]] {
        guard let expected else { return [[metric, "the crowd has none of its events"]] }
        return expected.groupings.map { grouping in
            [
                metric, grouping.dimensions.isEmpty ? "total" : grouping.dimensions.joined(separator: " \u{00d7} "),
                grouping.shown.map(MetricReview.percent) ?? "unknown",
                grouping.publishableShown.map(MetricReview.percent) ?? "there are none",
            ]
        }
    }

    fileprivate var firstNumber: String {
        if let firstNumberHours { return "within \(Wording.english.count(firstNumberHours, "hour"))" }
        if let devicesForTotal {
            return "never: its total takes about \(Wording.english.number(devicesForTotal)) devices a day"
        }
        return expected == nil ? "not known" : "never, as the plan is"
    }
}
