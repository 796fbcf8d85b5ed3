internal import ThrongPlan

/// The columns of an answer's data table.
struct DataColumns {
    let labelHeads: [String]
    let heads: [String]
    private let answer: InsightAnswer
    private let whole: Quantity?
    private let margin: String?
    private let scope: String
    /// True if the column behind those of the numbers is their interval.
    let hasInterval: Bool

    init(_ answer: InsightAnswer, _ answered: InsightAnswer.Answered) {
        self.answer = answer
        whole = answered.shareBase?.quantity
        labelHeads = answered.axes.isEmpty ? [answer.locale.say(.headGroup)] : answered.axes.map(\.title)
        scope = answer.scopes.joined(separator: ", ")
        hasInterval = answered.basis.hasInterval(answer.insight.kind)
        // An interval has the margin in it, and the steps of a funnel stand beside intervals.
        let isFunnel = if case .funnel = answered.view { true } else { false }
        let within = hasInterval || isFunnel ? nil : answered.basis.margin(of: answer.insight.kind)
        margin = within.map(answer.offBy)
        heads =
            Self.heads(answer, whole: whole) + (hasInterval ? [answer.locale.say(.interval)] : [])
            + (margin == nil ? [] : [answer.locale.say(.headWithin)])
    }

    func labels(of row: AnswerRow) -> [String] {
        guard !row.buckets.isEmpty else { return [scope.isEmpty ? answer.locale.say(.headAll) : scope] }
        guard case .quantiles(at: _) = answer.insight.kind, let last = row.buckets.last?.text,
            let name = QuantileReading.name(ofRow: last, in: answer.locale)
        else { return row.buckets.map(\.text) }
        return row.buckets.dropLast().map(\.text) + [name]
    }

    /// A figure with all that belongs to it.
    func cells(_ figure: Figure) -> [DataCellView] {
        func own(_ quantity: Quantity) -> String? { margin.map { quantity.within.map(answer.offBy) ?? $0 } }
        return DataCellView.cells(
            of: figure, numbers: { numbers($0, answer.interval(of: $0), margin: own($0)) }, span: heads.count,
            in: answer.locale)
    }

    /// Returns the cells for what groups leave of the whole: in a sample that has no interval, and as a sum no margin
    /// that is told.
    func cells(ofRest rest: Quantity) -> [DataCellView] {
        numbers(rest.rounded(like: whole), nil, margin: margin.map { _ in "\u{2013}" }).map { DataCellView($0) }
    }

    /// A figure alone, with its interval or margin.
    func cell(_ figure: Figure) -> DataCellView {
        figure.quantity.map { quantity in
            let interval = answer.interval(of: quantity).map {
                " (\(answer.text(from: $0, isShare: quantity.isShare)))"
            }
            let margin = quantity.within.map { " \(answer.offBy($0))" }
            return DataCellView(answer.text(quantity) + (interval ?? margin ?? ""))
        } ?? DataCellView(insteadOf: figure, in: answer.locale)
    }

    func heads(of comparison: AnswerComparison) -> [String] { [answer.names.short(comparison.period)] + changeHeads }

    var changeHeads: [String] {
        [answer.locale.say(.headChange)] + (answer.unit == "share" ? [] : [answer.locale.say(.headChangePercent)])
    }

    /// The cells of one row's comparison: the number then, the difference, and the difference in per cent.
    func cells(of compared: AnswerComparison.Compared) -> [DataCellView] {
        let columns = answer.unit == "share" ? 1 : 2
        guard let change = compared.change.change else {
            return [cell(compared.earlier), DataCellView(insteadOf: compared.change, in: answer.locale, span: columns)]
        }
        let texts = [
            "\(answer.difference(change)) (\(answer.text(from: change.interval)))",
            "\(answer.arrow(change)) \(answer.percent(change))",
        ]
        return [cell(compared.earlier)] + texts.prefix(columns).map { DataCellView($0) }
    }

    /// The cells of a funnel's step; of withheld neighbours one says so for all, as a small screen has no room for
    /// three.
    func cells(_ figure: Figure, _ stage: AnswerStage) -> [DataCellView] {
        var cells: [DataCellView] = []
        for number in [figure, stage.ofPrevious, stage.ofFirst] {
            if number == .withheld, let last = cells.last, last.cellWithheld {
                cells[cells.count - 1] = DataCellView(
                    insteadOf: Figure.withheld, in: answer.locale, span: last.cellSpan + 1)
            } else {
                cells.append(number.map(cell) ?? DataCellView("\u{2013}"))
            }
        }
        return cells
    }

    private static func heads(_ answer: InsightAnswer, whole: Quantity?) -> [String] {
        let locale = answer.locale
        let noun = answer.noun.many.sentenceCased
        // The terms of a quotient are those of the sample.
        func sampled(_ message: Message) -> String { locale.say(message, ["isSample": answer.isSample, "noun": noun]) }
        func inUnit(_ message: Message) -> String {
            locale.say(message, ["hasUnit": !answer.unit.isEmpty, "unit": answer.unit])
        }
        let share = locale.say(.headShare)
        return switch answer.insight.kind {
        case .frequency where answer.counted != .identifiers:
            [Wording.heading(devices: nil, in: locale)] + (whole?.amount != nil ? [share] : [])
        case .count, .distribution, .frequency: [noun] + (whole?.amount != nil ? [share] : [])
        case .reach: [Wording.heading(devices: answer.answered?.basis.devices, in: locale)]
        case .funnel: [noun, locale.say(.headOfStepBefore), locale.say(.headOfFirst)]
        case .retention: [share, sampled(.headDevices), locale.say(.headOfWeek)]
        case .share: [share, sampled(.headPart), locale.say(.headOf, ["noun": answer.noun.many])]
        case .mean: [inUnit(.headMean), sampled(.headNoun)]
        case .quantiles: [inUnit(.headAbout), locale.say(.headRange)]
        }
    }

    private func numbers(_ quantity: Quantity, _ interval: Interval?, margin: String?) -> [String] {
        let locale = answer.locale
        var all: [String]
        switch quantity {
        case .drawn, .estimate:
            all = [answer.text(quantity)]
            if let part = quantity.amount, let whole = whole?.amount, whole > 0 {
                all.append(answer.wording.share(quantity, part, of: whole))
            }
        case .share(let part, let whole, let noise):
            let terms = [(part, noise.part), (whole, noise.whole)]
            all = [answer.text(quantity)] + terms.map { answer.wording.term($0, variance: $1) }
        case .settled(let part, let whole): all = [answer.text(quantity), locale.text(part), locale.text(whole)]
        case .mean(_, _, let events, let noise):
            all = [answer.text(quantity), answer.wording.term(events, variance: noise.whole)]
        case .quantile(let reading): all = [reading.shown.map(locale.text) ?? "\u{2013}", reading.band(in: locale)]
        }
        if hasInterval { all.append(interval.map { answer.text(from: $0) } ?? "\u{2013}") }
        return all + [margin].compactMap { $0 }
    }
}

extension InsightAnswer {
    /// The buckets that it is confined to: "Device: phone".
    var scopes: [String] {
        filters.map { locale.say(.scope, ["dimension": $0.title, "bucket": words(for: $0.bucket, of: $0.dimension)]) }
    }

    /// Returns the words for a number's margin: "±14".
    fileprivate func offBy(_ within: Int64) -> String { "\u{b1}\(locale.text(within))" }
}
