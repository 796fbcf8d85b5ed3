internal import ThrongPlan

extension InsightAnswer {
    /// The answer as a page says it: its buckets in the reader's words.
    package var inWords: InsightAnswer {
        guard var told = answered else { return self }
        func worded(_ label: BucketLabel, _ place: Int) -> BucketLabel {
            let (name, isLast) = (told.axes[place].name, place == told.axes.count - 1)
            return switch insight.kind {
            case .frequency(band: name): BucketLabel(locale.times(label.text, endsBefore: counted != .identifiers))
            case .distribution where isLast: BucketLabel(words(for: label, of: name, unit: bandUnit))
            default: BucketLabel(words(for: label, of: name))
            }
        }
        func worded(_ row: AnswerRow) -> AnswerRow {
            AnswerRow(buckets: row.buckets.enumerated().map { worded($1, $0) }, figure: row.figure)
        }
        if case .ranking(var ranking) = told.view {
            ranking.rows = ranking.rows.map { .init(rank: $0.rank, lastRank: $0.lastRank, row: worded($0.row)) }
            told.view = .ranking(ranking)
        }
        told.table = AnswerTable(rows: told.table.rows.map(worded), whole: told.table.whole, rest: told.table.rest)
        told.axes = told.axes.enumerated().map { place, axis in
            AnswerAxis(name: axis.name, title: axis.title, labels: axis.labels.map { worded($0, place) })
        }
        var answer = self
        answer.outcome = .answered(told)
        return answer
    }

    /// A bucket of one of its dimensions in the reader's words.
    func words(for bucket: BucketLabel, of name: DimensionName, unit: String = "") -> String {
        locale.words(for: bucket, by: rules[name], unit: unit)
    }
}
