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
        case .frequency:
            return Self.with(
                answered.basis.noise,
                "\(group) is the fullest published band, with \(part(quantity, of: answered.shareBase)).")
        case .retention:
            guard let row = table.latestWeek, case .published(.share(let part, let whole)) = row.figure else {
                return "Every number here is \(Withheld.wording)."
            }
            let terms = [part, whole].map { Decimals($0, over: 1, places: 0).grouped }
            return
                """
                In week \(row.week) after their first, \(terms[0]) devices\(row.ofGroup) came back: \
                \(Decimals.percent(part, of: whole)) of the \(terms[1]) of week 0 in the same period.
                """
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
        case (.said, _):
            return "\(quantity.words(unit: unit)), as they say themselves."
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
        let terms: (part: Int64, all: Int64, unit: String)
        switch (quantity, whole) {
        case (.events(let part), .published(.events(let all))) where all > 0: terms = (part, all, "events")
        case (.said(let part), .published(.said(let all))) where all > 0: terms = (part, all, "devices")
        default: return quantity.words(unit: unit)
        }
        let total = Decimals(terms.all, over: 1, places: 0).grouped
        return "\(quantity.figureText) of \(total) \(terms.unit) (\(Decimals.percent(terms.part, of: terms.all)))"
    }
}

extension AnswerTable {
    /// The published row with the largest number; the first of equals.
    var largest: AnswerRow? { extreme { $0 > $1 } }
    /// The published row with the smallest number; the first of equals.
    var smallest: AnswerRow? { extreme { $0 < $1 } }

    /// Of a retention, the published row of the latest week after week 0.
    var latestWeek: AnswerRow? {
        rows.filter { $0.figure.quantity != nil }.max { $0.weeks < $1.weeks }
    }

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
    /// Weeks after the first, which is the last axis of a retention; -1 for `other`.
    fileprivate var weeks: Int { Int(week) ?? -1 }
    /// The week of a retention.
    var week: String { buckets.last?.text ?? "" }
    /// The group of a retention that is split further: " of “iOS”".
    var ofGroup: String {
        let group = buckets.dropLast().map(\.text).joined(separator: " · ")
        return group.isEmpty ? "" : " of “\(group)”"
    }
    /// The buckets in one line.
    var label: String { buckets.map(\.text).joined(separator: " · ") }
}
