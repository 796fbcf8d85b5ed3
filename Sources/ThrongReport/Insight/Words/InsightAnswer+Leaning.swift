internal import ThrongPlan

extension InsightAnswer {
    /// The sentences about published numbers of a sample that lean high because others like them were withheld; none
    /// where no number does.
    package var leaningNotes: [String] {
        guard let answered, answered.basis.hasInterval(insight.kind) else { return [] }
        var shown: [(label: String, figure: Figure)] = answered.table.rows.map { ($0.label, $0.figure) }
        switch answered.view {
        case .table, .change, .funnel: break
        case .ranking(let ranking): shown = ranking.rows.map { ($0.row.label, $0.row.figure) }
        case .trend(let points):
            shown = points.flatMap { point in
                zip(answered.table.rows, point.figures).map { row, figure in
                    ([row.label, names.short(point.period)].filter { !$0.isEmpty }.joined(separator: ", "), figure)
                }
            }
        }
        let leaning = shown.filter { $0.figure.quantity.map(leansHigh) ?? false }.map(\.label)
        guard !leaning.isEmpty else { return [] }
        return [
            locale.say(
                .leans,
                [
                    "case": shown.count == 1 ? "alone" : leaning.count > 3 ? "many" : "few", "count": leaning.count,
                    "all": shown.count, "groups": locale.list(leaning.map(wording.quoted)),
                    "threshold": locale.text(answered.basis.threshold.devices),
                ])
        ]
    }

    private func leansHigh(_ quantity: Quantity) -> Bool {
        guard let answered else { return false }
        let kept: Int64? =
            switch quantity {
            case .estimate(let estimate): estimate.counted
            case .share(let part, _, _): part
            case .drawn, .settled, .mean, .quantile: nil
            }
        return kept.map { Estimate.leansHigh($0, rate: answered.basis.sampling, threshold: answered.basis.threshold) }
            ?? false
    }
}
