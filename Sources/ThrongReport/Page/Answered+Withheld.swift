internal import ThrongInsight
internal import ThrongPlan

extension InsightAnswer.Answered {
    /// What the withheld rows hold together: "2.4% of the events".
    func withheldShare(_ rest: AnswerRest, _ locale: ReportLocale) -> String {
        let thing = basis.counts == .identifiers ? Counted.identifiers : .events
        return "\(locale.percent(rest.events, of: rest.whole)) of the \(thing.rawValue)"
    }

    /// Whether rows are read from bands, and are none of them.
    private var isRead: Bool { table.rows.contains { if case .quantile? = $0.figure.quantity { true } else { false } } }

    /// The part of the basis line that says how much is withheld; none where numbers carry noise instead.
    func withheldWords(in locale: ReportLocale) -> [String] {
        if basis.noise != nil { return [] }
        if case .trend(let points) = view {
            let all = points.flatMap(\.figures)
            let withheld = all.count { $0 == .withheld }
            return [withheld == 0 ? "Nothing withheld" : "Withheld: \(withheld) of \(all.count) numbers"]
        }
        // A mark of a distribution may stand although some bands are withheld: it is the rest that tells.
        let isWhole = isRead ? table.rest?.events == 0 : table.withheldRows == 0
        if isWhole { return ["Nothing withheld"] }
        return ["Withheld: \(table.rest.map { withheldShare($0, locale) } ?? "an unknown part")"]
    }
}
