internal import ThrongPlan

/// One answer on the first screen: a large number and a sentence.
struct TileView {
    let anchor: String
    let tileHeading: String
    let tileLanguage: String
    let number: String
    let numberUnit: String
    let isNumber: Bool
    let isWithheld: Bool
    /// The words in place of a number that everybody knows not to be there.
    let nothings: [String]
    private(set) var deltas: [DeltaView] = []
    /// The line of a trend, without words.
    private(set) var sparks: [LineChartView] = []
    private(set) var tileSentence: String

    init(_ answer: InsightAnswer, anchor: String, language: String) {
        self.anchor = anchor
        tileLanguage = language
        tileHeading = answer.insight.title
        let (quantity, unit) = Self.number(of: answer)
        isNumber = quantity != nil
        let withheld = answer.answered?.table.withheldRows ?? 0
        isWithheld = quantity == nil && withheld > 0
        number = quantity ?? ""
        numberUnit = unit
        switch answer.outcome {
        case .absent(let absence): nothings = [absence.marker]
        case .answered: nothings = quantity == nil && withheld == 0 ? [Impossible.marker] : []
        }
        tileSentence = answer.sentence
        guard let answered = answer.answered, answered.axes.isEmpty else { return }
        switch answered.view {
        case .change(let comparisons):
            deltas = comparisons.map { DeltaView(answer, $0, row: 0) }
            tileSentence = answer.tableSentence(answered)
        case .trend(let points):
            sparks = [LineChartView(answer, points: points, row: 0, label: nil, anchor: anchor, isSpark: true)]
        case .table, .ranking, .funnel: break
        }
    }

    /// A single answer's own number; of a breakdown what its largest published group is of the whole, but a mean's
    /// whole.
    private static func number(of answer: InsightAnswer) -> (text: String?, unit: String) {
        guard let answered = answer.answered else { return (nil, "") }
        let table = answered.table
        if case .quantiles(let quantiles) = answer.insight.kind { return quantile(quantiles, answer, table) }
        if answered.axes.isEmpty {
            guard let quantity = table.rows.first?.figure.quantity else { return (nil, "") }
            return (answer.text(quantity), unit(of: quantity, answer))
        }
        if case .funnel = answered.view {
            guard let reach = answer.funnelReaches(answered).max(by: { $1.conversion.exceeds($0.conversion) }) else {
                return (nil, "")
            }
            let way = "from “\(reach.first.title)” to “\(reach.last.title)”"
            return (answer.text(reach.conversion), reach.group.isEmpty ? way : "\(reach.group): \(way)")
        }
        if case .retention = answer.insight.kind { return retention(table, answer) }
        if case .mean = answer.insight.kind, let whole = table.whole?.quantity {
            return (answer.text(whole), unit(of: whole, answer))
        }
        guard let top = table.largest, let quantity = top.figure.quantity else { return (nil, "") }
        let group = group(answer.leaders(answered), top)
        if let part = quantity.amount, let all = answered.shareBase?.quantity?.amount, all > 0 {
            return (answer.wording.share(quantity, part, of: all), group)
        }
        switch quantity {
        case .share, .settled: return (answer.text(quantity), group)
        case .drawn, .mean, .estimate, .quantile: break
        }
        return (answer.text(quantity), "\(unit(of: quantity, answer)): \(group)")
    }

    /// Returns the words for the group whose number it is; for one of several where margins leave open which is the
    /// largest.
    private static func group(_ leaders: [AnswerRow], _ top: AnswerRow) -> String {
        switch leaders.count {
        case ...1: top.label.shortened(toWidth: 25)
        case 2: leaders.map { $0.label.shortened(toWidth: 12) }.joined(separator: " or ")
        default: "one of \(leaders.count) of about this size"
        }
    }

    /// The latest week that is published: week 0 is always all of itself.
    private static func retention(_ table: AnswerTable, _ answer: InsightAnswer) -> (text: String?, unit: String) {
        guard let row = table.latestWeek, let quantity = row.figure.quantity else { return (nil, "") }
        return (answer.text(quantity), "week \(row.week)\(row.ofGroup)".shortened(toWidth: 25))
    }

    private static func quantile(
        _ quantiles: [Quantile], _ answer: InsightAnswer, _ table: AnswerTable
    ) -> (text: String?, unit: String) {
        for (place, row) in table.rows.enumerated() {
            guard let quantity = row.figure.quantity else { continue }
            let name = QuantileReading.name(of: quantiles[place % quantiles.count], in: answer.locale).lowercased()
            let group = row.buckets.dropLast().map { ": \($0)" }.joined()
            return (answer.text(quantity), [answer.unit, name].filter { !$0.isEmpty }.joined(separator: ", ") + group)
        }
        return (nil, "")
    }

    private static func unit(of quantity: Quantity, _ answer: InsightAnswer) -> String {
        answer.wording.unit(beside: quantity, of: answer.counted, unit: answer.unit)
    }
}
