internal import ThrongPlan

extension InsightAnswer {
    /// The sentences about what is withheld and how much of the whole that leaves out; none where nothing is.
    package var withheldNotes: [String] {
        guard let answered else { return [] }
        let table = answered.table
        if case .trend(let points) = answered.view {
            let all = points.flatMap(\.figures)
            let withheld = all.count { $0 == .withheld }
            return withheld == 0 ? [] : [Withheld.note(withheld, of: all.count, where: ": the hatched marks")]
        }
        let withheld = table.withheldRows
        guard withheld > 0 else { return [] }
        var parts = [Withheld.note(withheld, of: table.rows.count)]
        if table.isLeftOut { return [parts[0] + " " + Withheld.leftOut(for: "this period")] }
        // A single number is the whole itself.
        if table.rows.count > 1 || table.rest != nil {
            parts.append(wording.withheld(withheld, leaving: table.rest, counts: answered.basis.counts))
        }
        if case .ranking(let ranking) = answered.view { parts.append(Self.place(of: withheld, in: ranking)) }
        return [parts.joined(separator: " ")]
    }

    /// The sentences about dimensions of the insight that age has taken, one a dimension.
    package var ageNotes: [String] {
        (answered?.aged ?? []).map { aged in
            let shown = aged.now.map { "by \u{201c}\($0.title)\u{201d} instead" } ?? "without it"
            let gone = "Numbers by \u{201c}\(aged.title)\u{201d} are no longer kept for this period"
            return "\(gone): they are shown \(shown)."
        }
    }

    /// Returns the sentence about the place of withheld rows in a ranking: "They have no rank and are among “Others,
    /// together”."
    private static func place(of withheld: Int, in ranking: AnswerRanking) -> String {
        let isOne = withheld == 1
        let among = ranking.rest == nil ? "" : " and \(isOne ? "is" : "are") among “\(AnswerRanking.together)”"
        return "\(isOne ? "It has" : "They have") no rank\(among)."
    }
}

extension AnswerRanking {
    /// The label of the line for all that is not named.
    package static let together = "Others, together"
}
