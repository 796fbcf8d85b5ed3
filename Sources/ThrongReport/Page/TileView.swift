internal import ThrongPlan

/// One answer on the first screen: a large number and a sentence.
struct TileView {
    let anchor: String
    let tileHeading: String
    let number: String
    let numberUnit: String
    let isNumber: Bool
    let isWithheld: Bool
    let isImpossible: Bool
    let isUnreleased: Bool
    let tileSentence: String

    init(_ answer: InsightAnswer, anchor: String) {
        self.anchor = anchor
        tileHeading = answer.insight.title
        tileSentence = answer.sentence
        let (quantity, unit) = Self.number(of: answer)
        isUnreleased = answer.answered == nil
        isNumber = quantity != nil
        let withheld = answer.answered?.table.withheldRows ?? 0
        isWithheld = quantity == nil && withheld > 0
        isImpossible = answer.answered != nil && quantity == nil && withheld == 0
        number = quantity ?? ""
        numberUnit = unit
    }

    /// A single answer's own number; of a breakdown what its largest published group is of the whole, but a mean's whole.
    private static func number(of answer: InsightAnswer) -> (text: String?, unit: String) {
        guard let answered = answer.answered else { return (nil, "") }
        let table = answered.table
        if answered.axes.isEmpty {
            guard let quantity = table.rows.first?.figure.quantity else { return (nil, "") }
            return (quantity.figureText, unit(of: quantity, answer))
        }
        if case .retention = answer.insight.kind { return retention(table) }
        if case .mean = answer.insight.kind, let whole = table.whole?.quantity {
            return (whole.figureText, unit(of: whole, answer))
        }
        guard let top = table.largest, let quantity = top.figure.quantity else { return (nil, "") }
        let group = top.label.shortened(to: 40)
        switch quantity {
        case .events(let part):
            guard case .published(.events(let all)) = answered.shareBase, all > 0 else {
                return (quantity.figureText, "events: \(group)")
            }
            return (Decimals.percent(part, of: all), group)
        case .share:
            return (quantity.figureText, group)
        case .said(let part):
            guard case .published(.said(let all)) = answered.shareBase, all > 0 else {
                return (quantity.figureText, "devices: \(group)")
            }
            return (Decimals.percent(part, of: all), group)
        case .devices, .mean:
            return (quantity.figureText, "\(unit(of: quantity, answer)): \(group)")
        }
    }

    /// The latest week that is published: week 0 is always all of itself.
    private static func retention(_ table: AnswerTable) -> (text: String?, unit: String) {
        guard let row = table.latestWeek, let quantity = row.figure.quantity else { return (nil, "") }
        return (quantity.figureText, "week \(row.week)\(row.ofGroup)".shortened(to: 40))
    }

    private static func unit(of quantity: Quantity, _ answer: InsightAnswer) -> String {
        switch quantity {
        case .events: "events"
        case .devices: "devices, at least"
        case .said: "devices"
        case .share: "of \(answer.insight.kind.counts.rawValue)"
        case .mean: answer.unit.isEmpty ? "per event" : "\(answer.unit) per event"
        }
    }
}
