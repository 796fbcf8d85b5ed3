internal import ThrongPlan

extension InsightAnswer {
    /// The answer as a page says it: bands in words, and whatever is none of the plan's buckets in the reader's language.
    package var inWords: InsightAnswer {
        guard let answered else { return self }
        let bands = FrequencyBands(counting: answered.basis.counts)
        let others = locale.say(.otherBucket)
        func worded(_ label: BucketLabel, isLast: Bool) -> BucketLabel {
            if label.text == "other" { return BucketLabel(others) }
            guard isLast else { return label }
            return switch insight.kind {
            case .distribution: BucketLabel(FrequencyBands.values(label.text, unit: bandUnit, in: locale))
            case .frequency: BucketLabel(bands.words(label.text, in: locale))
            case .count, .reach, .share, .mean, .quantiles, .retention, .funnel: label
            }
        }
        func worded(_ row: AnswerRow) -> AnswerRow {
            let buckets = row.buckets.enumerated().map { worded($1, isLast: $0 == row.buckets.count - 1) }
            return AnswerRow(buckets: buckets, figure: row.figure)
        }
        let axes = answered.axes.enumerated().map { place, axis in
            let isLast = place == answered.axes.count - 1
            return AnswerAxis(
                name: axis.name, title: axis.title, labels: axis.labels.map { worded($0, isLast: isLast) })
        }
        var view = answered.view
        if case .ranking(let ranking) = view { view = .ranking(ranking.worded(worded)) }
        var answer = self
        answer.outcome = .answered(
            Answered(
                release: answered.release, basis: answered.basis, axes: axes,
                table: AnswerTable(
                    rows: answered.table.rows.map(worded), whole: answered.table.whole, rest: answered.table.rest),
                view: view, clip: answered.clip, leads: answered.leads,
                leadOverWithheld: answered.leadOverWithheld, aged: answered.aged))
        return answer
    }
}

extension AnswerRanking {
    /// The same with other words for its rows.
    fileprivate func worded(_ words: (AnswerRow) -> AnswerRow) -> AnswerRanking {
        var ranking = self
        ranking.rows = rows.map { Ranked(rank: $0.rank, lastRank: $0.lastRank, row: words($0.row)) }
        return ranking
    }
}
