internal import ThrongPlan

extension InsightAnswer {
    /// The sentences about what is withheld and how much of the whole that leaves out; none where nothing is.
    package var withheldNotes: [String] {
        guard let answered else { return [] }
        let table = answered.table
        if case .trend(let points) = answered.view {
            let all = points.flatMap(\.figures)
            let withheld = all.count { $0 == .withheld }
            return withheld == 0 ? [] : [Withheld.note(withheld, of: all.count, "marks", in: locale)]
        }
        let withheld = table.withheldRows
        guard withheld > 0 else { return [] }
        var parts = [Withheld.note(withheld, of: table.rows.count, in: locale)]
        if table.isLeftOut { return [locale.joined(parts + [locale.say(.leftOut)])] }
        // A single number is the whole itself.
        if table.rows.count > 1 || table.rest != nil {
            parts.append(wording.withheld(withheld, leaving: table.rest, counts: answered.basis.counts))
        }
        if case .ranking(let ranking) = answered.view {
            parts.append(
                locale.say(
                    .noRank, ["count": withheld, "isAmong": ranking.rest != nil, "others": locale.say(.othersTogether)])
            )
        }
        return [locale.joined(parts)]
    }

    /// The sentences about dimensions of the insight that age has taken, one a dimension.
    package var ageNotes: [String] {
        (answered?.aged ?? []).map { aged in
            locale.say(.aged, ["title": aged.title, "hasCoarser": aged.now != nil, "coarser": aged.now?.title ?? ""])
        }
    }
}
