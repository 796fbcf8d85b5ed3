internal import ThrongPlan

/// Quantiles on a line: the band of each, and a mark where the value lies if the band's events are spread evenly.
struct RangeChartView {
    let ranges: [TemplateView]
    let height: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    init(_ answer: InsightAnswer, table: AnswerTable, quantiles: [Quantile], anchor: String) {
        let readings = table.rows.map { row -> QuantileReading? in
            guard case .published(.quantile(let reading)) = row.figure else { return nil }
            return reading
        }
        let ends = readings.compactMap { $0 }.flatMap { [$0.lowest, $0.highest] }.compactMap { $0?.approximate }
        let low = min(ends.min() ?? 0, 0)
        // Room beyond the last edge, where a band is open.
        let isOpen = readings.contains { $0.map { $0.highest == nil } ?? false }
        let high = max((ends.max() ?? 1) * (isOpen ? 1.2 : 1), low + 1)
        func across(_ value: Double) -> Double { (value - low) / (high - low) }
        let words = table.rows.enumerated().map { place, row in
            let name = QuantileReading.name(of: quantiles[place % quantiles.count], in: answer.locale)
            return ChartRows.Words(
                label: (row.buckets.dropLast().map(\.text) + [name]).joined(separator: " · "),
                figure: row.figure.quantity.map(answer.text) ?? row.figure.marker(in: answer.locale) ?? "")
        }
        let rows = ChartRows(words, bar: 24)
        ranges = zip(table.rows, readings).enumerated().map { place, pair in
            let (row, reading) = pair
            let from = reading.map { $0.lowest.map { across($0.approximate) } ?? 0 } ?? 0
            let to = reading.map { $0.highest.map { across($0.approximate) } ?? 1 } ?? 1
            let text = row.figure.quantity.map(answer.words) ?? row.figure.marker(in: answer.locale) ?? ""
            return [
                "rangeTextY": rows.labelY(place), "rangeY": rows.barY(place), "rangeX": Coordinate.percent(from),
                "rangeWidth": Coordinate.percent(to - from),
                "rangeLabel": words[place].label.shortened(toWidth: ChartRows.room), "rangeTitle": words[place].label,
                "rangeText": text, "rangeFigures": rows.figures(words[place], row: place, isPublished: reading != nil),
                "rangeMarks": [reading?.value].compactMap { $0 }.map { Coordinate.percent(across($0.approximate)) },
                "rangePublished": reading != nil, "rangeWithheld": row.figure == .withheld,
            ] as TemplateView
        }
        (height, chartID, chartTitle) = (rows.height(table.rows.count), "\(anchor)-chart", answer.insight.title)
        chartSummary = answer.summary(.rangesSummary, ["low": answer.locale.text(Decimals(exactly: low))])
    }
}
