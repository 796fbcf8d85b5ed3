internal import ThrongPlan

extension InsightAnswer {
    /// The answer as a page says it: bands in words.
    package var inWords: InsightAnswer {
        guard let answered else { return self }
        let bands = FrequencyBands(counting: answered.basis.counts)
        let words: (String) -> String
        switch insight.kind {
        case .distribution: words = { FrequencyBands.values($0, in: locale) }
        case .frequency: words = { bands.words($0, in: locale) }
        case .count, .reach, .share, .mean, .quantiles, .retention, .funnel: return self
        }
        func worded(_ labels: [BucketLabel]) -> [BucketLabel] { labels.map { BucketLabel(words($0.text)) } }
        let axes = answered.axes.dropLast()
        let last = answered.axes.suffix(1).map { AnswerAxis(name: $0.name, title: $0.title, labels: worded($0.labels)) }
        let rows = answered.table.rows.map { row in
            AnswerRow(buckets: row.buckets.dropLast() + worded(row.buckets.suffix(1)), figure: row.figure)
        }
        var answer = self
        answer.outcome = .answered(
            Answered(
                release: answered.release, basis: answered.basis, axes: axes + last,
                table: AnswerTable(rows: rows, whole: answered.table.whole, rest: answered.table.rest),
                view: answered.view, clip: answered.clip, leads: answered.leads,
                leadOverWithheld: answered.leadOverWithheld, aged: answered.aged))
        return answer
    }
}
