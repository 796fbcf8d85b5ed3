internal import ThrongPlan

/// The numbers of an answer as a table, a row each, in the plan's order.
struct DataTableView {
    let caption: String
    let labelHeads: [String]
    let numberHeads: [String]
    let dataRows: [DataRowView]
    /// The whole, in a last row of its own.
    let totals: [DataRowView]

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        let table = answered.table
        let whole = table.whole?.quantity
        caption = answer.insight.title
        labelHeads = answered.axes.isEmpty ? ["Group"] : answered.axes.map(\.title)
        let heads = Self.heads(answer, whole: whole)
        numberHeads = heads
        let scope = answer.filters.map { "\($0.title): \($0.bucket)" }.joined(separator: ", ")
        dataRows = table.rows.map { row in
            DataRowView(
                labels: answered.axes.isEmpty ? [scope.isEmpty ? "All" : scope] : row.buckets.map(\.text),
                numbers: row.figure.quantity.map { Self.numbers($0, whole: whole) } ?? [],
                span: heads.count)
        }
        totals = (table.whole.map { [$0] } ?? []).map { figure in
            DataRowView(
                labels: ["All"] + Array(repeating: "", count: max(answered.axes.count - 1, 0)),
                numbers: figure.quantity.map { Self.numbers($0, whole: whole) } ?? [],
                span: heads.count)
        }
    }

    private static func heads(_ answer: InsightAnswer, whole: Quantity?) -> [String] {
        switch answer.insight.kind {
        case .count, .distribution:
            if case .events = whole { ["Events", "Share"] } else { ["Events"] }
        case .reach:
            ["Devices, at least"]
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
        case .share(let part, let all):
            return [quantity.figureText, grouped(part), grouped(all)]
        case .mean(_, _, let events):
            return [quantity.figureText, grouped(events)]
        }
    }
}
