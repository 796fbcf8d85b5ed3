internal import ThrongPlan

/// The numbers of an answer as a table, a row each, in the plan's order.
struct DataTableView {
    let caption: String
    let labelHeads: [String]
    let numberHeads: [String]
    let dataRows: [DataRowView]
    /// What the withheld rows hold together, in a row of its own before the whole.
    let rests: [DataRowView]
    /// The whole, in a last row of its own.
    let totals: [DataRowView]

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        let table = answered.table
        let whole = answered.shareBase?.quantity
        let margin = answered.basis.noise.map { "\u{b1}\(Decimals($0.margin, over: 1, places: 0).grouped)" }
        caption = answer.insight.title
        labelHeads = answered.axes.isEmpty ? ["Group"] : answered.axes.map(\.title)
        let heads = Self.heads(answer, whole: whole) + (margin == nil ? [] : ["19 of 20 within"])
        numberHeads = heads
        let scope = answer.filters.map { "\($0.title): \($0.bucket)" }.joined(separator: ", ")
        func row(_ figure: Figure, _ labels: [String]) -> DataRowView {
            let numbers = figure.quantity.map { Self.numbers($0, whole: whole) + [margin].compactMap { $0 } }
            return DataRowView(figure, labels: labels, numbers: numbers ?? [], span: heads.count)
        }
        let blanks = Array(repeating: "", count: max(answered.axes.count - 1, 0))
        dataRows = table.rows.map {
            row($0.figure, answered.axes.isEmpty ? [scope.isEmpty ? "All" : scope] : $0.buckets.map(\.text))
        }
        rests = [table.rest?.quantity].compactMap { $0 }.map { row(.published($0), [Withheld.together] + blanks) }
        totals = [table.whole].compactMap { $0 }.map { row($0, ["All"] + blanks) }
    }

    private static func heads(_ answer: InsightAnswer, whole: Quantity?) -> [String] {
        switch answer.insight.kind {
        case .count, .distribution:
            if case .events = whole { ["Events", "Share"] } else { ["Events"] }
        case .reach:
            [answer.answered?.basis.devices == .firsts ? "Devices" : "Devices, at least"]
        case .frequency:
            if case .said = whole { ["Devices", "Share"] } else { ["Devices"] }
        case .retention:
            ["Share", "Devices", "Of week 0's"]
        case .share(let basis, _):
            ["Share", "Part", basis == .events ? "Of events" : "Of devices"]
        case .mean:
            [answer.unit.isEmpty ? "Mean" : "Mean (\(answer.unit))", "Events"]
        }
    }

    private static func numbers(_ quantity: Quantity, whole: Quantity?) -> [String] {
        func grouped(_ number: Int64) -> String { Decimals(number, over: 1, places: 0).grouped }
        switch quantity {
        case .events(let count):
            guard case .events(let all) = whole, all > 0 else { return [grouped(count)] }
            return [grouped(count), Decimals.percent(count, of: all)]
        case .devices(let devices):
            return [grouped(devices)]
        case .said(let devices):
            guard case .said(let all) = whole, all > 0 else { return [grouped(devices)] }
            return [grouped(devices), Decimals.percent(devices, of: all)]
        case .share(let part, let all):
            return [quantity.figureText, grouped(part), grouped(all)]
        case .mean(_, _, let events):
            return [quantity.figureText, grouped(events)]
        }
    }
}
