internal import ThrongPlan

extension InsightAnswer {
    /// The answer in one sentence, from published numbers only.
    var sentence: String {
        guard let answered else { return "There is no release of this metric for the period." }
        let table = answered.table
        if answered.axes.isEmpty {
            guard let quantity = table.rows.first?.figure.quantity else {
                return table.withheldRows == 0 ? "This \(Impossible.marker)." : "This number is \(Withheld.wording)."
            }
            return Self.with(answered.basis.noise, singleSentence(quantity))
        }
        guard let top = table.largest, let quantity = top.figure.quantity else {
            return table.withheldRows == 0
                ? "Nothing here can occur." : "Every number here is \(Withheld.wording)."
        }
        let group = "“\(top.label)”"
        switch insight.kind {
        case .count:
            return Self.with(
                answered.basis.noise,
                "\(group) is the largest published group, with \(part(quantity, of: answered.shareBase)).")
        case .distribution:
            return Self.with(
                answered.basis.noise,
                "\(group) is the fullest published band, with \(part(quantity, of: answered.shareBase)).")
        case .reach:
            return "\(group) is the largest published group: \(quantity.words(unit: unit))."
        case .share(let basis, let part):
            let thing = part.map { "\(basis.rawValue) that are “\($0.bucket)”" } ?? basis.rawValue
            return "\(group) has the largest published share of \(thing): \(quantity.figureText)."
        case .mean:
            let highest = "\(group) is highest with \(quantity.words(unit: unit)) per event"
            guard let bottom = table.smallest, let least = bottom.figure.quantity, bottom != top else {
                return highest + "."
            }
            return "\(highest), “\(bottom.label)” lowest with \(least.words(unit: unit)), among the published."
        }
    }

    private func singleSentence(_ quantity: Quantity) -> String {
        switch (quantity, insight.kind) {
        case (.events, _):
            return "\(quantity.words(unit: unit)) were counted."
        case (.devices, _):
            return "At least \(quantity.figureText) devices were seen within one window."
        case (.share(let part, let whole), .share(let basis, let filter)):
            let thing = filter.map { "are “\($0.bucket)”" } ?? "are in this group"
            let terms = [part, whole].map { Decimals($0, over: 1, places: 0).grouped }.joined(separator: " of ")
            return "\(quantity.figureText) of \(basis.rawValue) \(thing): \(terms)."
        case (.mean(_, _, let events), _):
            let count = Decimals(events, over: 1, places: 0).grouped
            return "\(quantity.words(unit: unit)) per event on average, over \(count) events."
        case (.share, _):
            return "\(quantity.figureText)."
        }
    }

    /// The sentence and, where its number carries noise, how far off that may be.
    private static func with(_ noise: NumberNoise?, _ sentence: String) -> String {
        guard let noise else { return sentence }
        return "\(sentence) Give or take \(Decimals(noise.margin, over: 1, places: 0).grouped), in 19 of 20 cases."
    }

    /// A number of events as a part of the whole, where that is published: "8,412 of 24,606 events (34.2%)".
    func part(_ quantity: Quantity, of whole: Figure?) -> String {
        guard case .events(let part) = quantity, case .published(.events(let all)) = whole, all > 0 else {
            return quantity.words(unit: unit)
        }
        let total = Decimals(all, over: 1, places: 0).grouped
        return "\(quantity.figureText) of \(total) events (\(Decimals.percent(part, of: all)))"
    }
}

extension AnswerTable {
    /// The published row with the largest number; the first of equals.
    var largest: AnswerRow? { extreme { $0 > $1 } }
    /// The published row with the smallest number; the first of equals.
    var smallest: AnswerRow? { extreme { $0 < $1 } }

    private func extreme(_ beats: (Double, Double) -> Bool) -> AnswerRow? {
        var best: (row: AnswerRow, value: Double)?
        for row in rows {
            guard let value = row.figure.quantity?.approximate else { continue }
            if best.map({ beats(value, $0.value) }) ?? true { best = (row, value) }
        }
        return best?.row
    }
}

extension AnswerRow {
    /// The buckets in one line.
    var label: String { buckets.map(\.text).joined(separator: " · ") }
}
