internal import ThrongPlan

extension InsightAnswer {
    /// The answer as a page says it: the bands of a frequency in words.
    package var inWords: InsightAnswer {
        guard case .frequency = insight.kind, let answered else { return self }
        let bands = FrequencyBands(counting: answered.basis.counts)
        func worded(_ labels: [BucketLabel]) -> [BucketLabel] {
            labels.map { BucketLabel(bands.words($0.text, in: locale)) }
        }
        let axes = answered.axes.dropLast()
        let last = answered.axes.suffix(1).map { AnswerAxis(name: $0.name, title: $0.title, labels: worded($0.labels)) }
        let rows = answered.table.rows.map { row in
            AnswerRow(buckets: row.buckets.dropLast() + worded(row.buckets.suffix(1)), figure: row.figure)
        }
        return InsightAnswer(
            insight: insight, question: question, unit: unit, names: names, filters: filters,
            outcome: .answered(
                Answered(
                    release: answered.release, basis: answered.basis, axes: axes + last,
                    table: AnswerTable(rows: rows, whole: answered.table.whole, rest: answered.table.rest),
                    view: answered.view, clip: answered.clip, leads: answered.leads, aged: answered.aged)),
            comparisons: comparisons)
    }
}
