internal import ThrongPlan

/// How far a group of identifiers came in a funnel, as far as that is published.
struct FunnelReach {
    /// What the group is; empty where there is one only.
    let group: String
    /// The first step and the furthest one that is published.
    let first: (title: String, number: Quantity)
    let last: (title: String, number: Quantity)
    /// Part over whole.
    let conversion: Quantity
}

extension InsightAnswer {
    /// Each group whose first step and a later one are published, in order.
    func funnelReaches(_ answered: Answered) -> [FunnelReach] {
        guard case .funnel(let stages) = answered.view, let steps = answered.axes.last?.labels.count, steps > 0 else {
            return []
        }
        let rows = answered.table.rows
        return stride(from: 0, to: rows.count, by: steps).compactMap { start in
            guard let first = rows[start].figure.quantity,
                let place = (start + 1..<start + steps).last(where: { stages[$0].ofFirst?.quantity != nil }),
                let number = rows[place].figure.quantity, let conversion = stages[place].ofFirst?.quantity
            else { return nil }
            return FunnelReach(
                group: rows[start].buckets.dropLast().map(\.text).joined(separator: " · "),
                first: (rows[start].buckets.last?.text ?? "", first),
                last: (rows[place].buckets.last?.text ?? "", number), conversion: conversion)
        }
    }

    /// "Of the 1,204 identifiers at “Cart”, 31.1% came as far as “Paid” (375)."
    func funnelSentence(_ answered: Answered) -> String {
        let reaches = funnelReaches(answered)
        guard let best = reaches.max(by: { $1.conversion.exceeds($0.conversion) }) else {
            guard let row = answered.table.rows.first(where: { $0.figure.quantity != nil }),
                let quantity = row.figure.quantity
            else { return "Every number here is \(Withheld.wording)." }
            return "\(words(quantity).sentenceCased) came at least as far as “\(row.label)”."
        }
        if reaches.count == 1 {
            let of = best.group.isEmpty ? "" : " of “\(best.group)”"
            return
                """
                Of the \(text(best.first.number)) identifiers\(of) at “\(best.first.title)”, \(text(best.conversion)) came as \
                far as “\(best.last.title)” (\(text(best.last.number))).
                """
        }
        return
            """
            “\(best.group)” has the highest published part that came from “\(best.first.title)” to \
            “\(best.last.title)”: \(text(best.conversion)).
            """
    }
}
