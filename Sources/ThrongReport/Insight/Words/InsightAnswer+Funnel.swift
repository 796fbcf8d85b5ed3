internal import ThrongPlan

/// The progress of a group of identifiers in a funnel, as far as it is published.
package struct FunnelReach {
    /// The group's label; empty where there is only one group.
    package let group: String
    /// The first step and the furthest one that is published.
    package let first: (title: String, number: Quantity)
    package let last: (title: String, number: Quantity)
    /// Part over whole.
    package let conversion: Quantity
}

extension InsightAnswer {
    /// Returns the progress of the groups, up to the furthest step that most of them have published, so that they can
    /// be compared.
    package func funnelReaches(_ answered: Answered) -> [FunnelReach] {
        guard case .funnel(let stages) = answered.view, let steps = answered.axes.last?.labels.count, steps > 0 else {
            return []
        }
        let rows = answered.table.rows
        let starts = stride(from: 0, to: rows.count, by: steps).filter { rows[$0].figure.quantity != nil }
        func published(_ step: Int) -> Int { starts.count { stages[$0 + step].ofFirst?.quantity != nil } }
        let most = (1..<max(steps, 1)).map(published).max() ?? 0
        guard most > 0, let last = (1..<steps).last(where: { published($0) == most }) else { return [] }
        return starts.compactMap { start in
            let place = start + last
            guard let first = rows[start].figure.quantity, let number = rows[place].figure.quantity,
                let conversion = stages[place].ofFirst?.quantity
            else { return nil }
            return FunnelReach(
                group: rows[start].buckets.dropLast().map(\.text).joined(separator: " · "),
                first: (rows[start].buckets.last?.text ?? "", first),
                last: (rows[place].buckets.last?.text ?? "", number), conversion: conversion)
        }
    }

    /// "Of about 1,200 visits at “Cart”, about 31% came as far as “Paid” (380); between 28% and 34% in 19 of 20
    /// cases."
    func funnelSentence(_ answered: Answered) -> String {
        let reaches = funnelReaches(answered)
        guard let best = reaches.max(by: { $1.conversion.exceeds($0.conversion) }) else {
            guard let row = answered.table.rows.first(where: { $0.figure.quantity != nil }),
                let quantity = row.figure.quantity
            else { return Withheld.sentence(ofOne: false, in: locale) }
            return locale.say(.funnelCame, ["number": words(quantity), "step": row.label]).sentenceCased
        }
        let (from, to) = (best.first.title, best.last.title)
        if reaches.count == 1 {
            let first = locale.say(.about, ["number": text(best.first.number)])
            return closed(
                locale.say(
                    .funnelOne,
                    [
                        "first": first, "noun": noun.many, "hasGroup": !best.group.isEmpty, "group": best.group,
                        "from": from, "to": to, "number": words(best.conversion), "last": text(best.last.number),
                    ]), best.conversion)
        }
        let groups = answered.table.rows.count / max(answered.axes.last?.labels.count ?? 1, 1)
        func most(_ finding: String) -> String { wording.superlative(finding, isSure: reaches.count == groups) }
        guard reaches.allSatisfy({ $0.group == best.group || isSurely(best.conversion, above: $0.conversion) }) else {
            return locale.say(
                .finding,
                ["finding": most(locale.say(.funnelTooClose, ["count": reaches.count, "from": from, "to": to]))])
        }
        let finding = locale.say(
            .funnelBest, ["group": best.group, "from": from, "to": to, "number": words(best.conversion)])
        return closed(most(finding), best.conversion)
    }

    /// True if one quotient is larger than another of other identifiers, as far as margins tell.
    func isSurely(_ larger: Quantity, above smaller: Quantity) -> Bool {
        let order = RowOrder(quantities: [larger, smaller], numbers: [nil, nil], interval: interval)
        return order.lead(of: 0, over: 1) > Interval.z(sharedBy: comparisons)
    }
}
