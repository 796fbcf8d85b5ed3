internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

/// One sheet of a workbook: lines of text, a table, and notes below it.
package struct Sheet: Sendable, Hashable {
    /// The tab's name: at most 31 UTF-16 units, no two in a workbook alike whatever the case, none that Excel forbids.
    package internal(set) var name: String
    package let isRightToLeft: Bool
    package let lines: [String]
    package let heads: [String]
    package let rows: [[SheetCell]]
    package let notes: [String]

    package init(
        name: String, isRightToLeft: Bool = false, lines: [String], heads: [String], rows: [[SheetCell]],
        notes: [String]
    ) {
        (self.name, self.isRightToLeft, self.lines) = (name, isRightToLeft, lines)
        (self.heads, self.rows, self.notes) = (heads, rows, notes)
    }

    /// The widths of the columns, by heads and texts; numbers have room in each. Unit: digits.
    package var widths: [Double] {
        heads.enumerated().map { place, head in
            let texts = rows.compactMap { row in if case .text(let text) = row[place] { text } else { nil } }
            return min(([head] + texts).reduce(8) { max($0, $1.width / 0.64) } + 2, 70)
        }
    }
}

package enum SheetCell: Sendable, Hashable {
    /// A text, which stays one: `17.10` is no date, `1E5` no number and `=1+1` no formula.
    case text(String)
    /// A share is a fraction of 1.
    case number(Decimals, isShare: Bool)
    case empty

    package init(_ number: Decimals?, isShare: Bool = false) {
        self = number.map { .number($0, isShare: isShare) } ?? .empty
    }
    init(_ number: Int64?) { self.init(number.map { Decimals($0, over: 1, places: 0) }) }
}

extension [Sheet] {
    /// The sheets, each with a name that Excel takes: what is too long is cut, what is forbidden a blank, and what
    /// another one has gets a number. `History` is a sheet of Excel's own.
    package var named: [Sheet] {
        var taken: Set = ["history"]
        let ends = CharacterSet.whitespaces.union(CharacterSet(charactersIn: "'"))
        return map { sheet in
            var (sheet, number) = (sheet, 1)
            let whole = sheet.name.unicodeScalars.reduce(into: "") {
                $0 += $1.isControl || "[]:*?/\\".unicodeScalars.contains($1) ? " " : String($1)
            }
            repeat {
                let end = number == 1 ? "" : " \(number)"
                var start = whole.trimmingCharacters(in: ends)
                while (start + end).utf16.count > 31 { start = String(start.dropLast()).trimmingCharacters(in: ends) }
                sheet.name = (start.isEmpty ? "Sheet" : start) + end
                number += 1
            } while !taken.insert(sheet.name.lowercased()).inserted
            return sheet
        }
    }
}

/// The table of an answer's page for a sheet: each number, each end of an interval and each margin in a cell of its own.
struct SheetTable {
    private(set) var heads: [String] = []
    private(set) var rows: [[SheetCell]] = []
    private let answer: InsightAnswer
    private let whole: Quantity?
    /// True where numbers have an interval or a band, false where they have a margin, nil where neither is told.
    private let hasBounds: Bool?
    private let margin: Int64?
    private var isShare: Bool { answer.unit == "share" }

    init(_ answer: InsightAnswer, _ answered: InsightAnswer.Answered) {
        self.answer = answer
        whole = answered.shareBase?.quantity
        margin = answered.basis.margin(of: answer.insight.kind)
        let isBand = if case .quantiles(at: _) = answer.insight.kind { true } else { false }
        hasBounds = isBand || answered.basis.hasInterval(answer.insight.kind) ? true : margin == nil ? nil : false
        let columns = DataColumns(answer, answered)
        // The interval is the last column, and the band is the one behind the value.
        let bounded = isBand ? 1 : columns.hasInterval ? columns.heads.count - 1 : nil
        let full = columns.heads.enumerated().flatMap { $0 == bounded ? ends($1) : [$1] }
        let table = answered.table
        heads = columns.labelHeads
        func cells(_ figure: Figure) -> [SheetCell] {
            figure.quantity.map { own($0) + beside($0) } ?? nothing(figure, full.count)
        }
        func part(_ figure: Figure?) -> [SheetCell] {
            guard let figure else { return [.empty, .empty, .empty] }
            return figure.quantity.map { [value($0)] + bounds($0) } ?? nothing(figure, 3)
        }
        func row(_ labels: [String], _ cells: [SheetCell]) -> [SheetCell] {
            let gap = max(heads.count - labels.count - cells.count, 0)
            return labels.map { .text($0) } + Array(repeating: .empty, count: gap) + cells
        }
        switch answered.view {
        case .table, .ranking:
            var rest = (label: answer.locale.say(.withheldTogether), quantity: table.rest?.quantity)
            heads += full
            rows = table.rows.map { row(columns.labels(of: $0), cells($0.figure)) }
            if case .ranking(let ranking) = answered.view {
                rest = (answer.locale.say(.othersTogether), ranking.rest)
                heads.insert(answer.locale.say(.headRank), at: 0)
                rows = ranking.rows.map { ranked in
                    row([ranked.place(in: answer.locale)] + columns.labels(of: ranked.row), cells(ranked.row.figure))
                }
            }
            // A sum of what is withheld has no margin that is told.
            if let sum = rest.quantity { rows.append(row([rest.label], own(sum) + beside(sum).map { _ in .empty })) }
            if let whole = table.whole { rows.append(row([answer.locale.say(.headAll)], cells(whole))) }
        case .change(let comparisons):
            heads += alone(columns.heads[0]) + comparisons.flatMap(changeHeads)
            rows = table.rows.enumerated().map { place, one in
                row(columns.labels(of: one), alone(one.figure) + comparisons.flatMap { change($0.rows[place]) })
            }
        case .funnel(let stages):
            heads += alone(columns.heads[0]) + columns.heads.dropFirst().flatMap { [$0] + ends($0) }
            rows = zip(table.rows, stages).map { one, stage in
                row(columns.labels(of: one), alone(one.figure) + [stage.ofPrevious, stage.ofFirst].flatMap(part))
            }
        case .trend(let points):
            let isOne = answered.axes.isEmpty
            heads = [answer.locale.say(.periodKind, ["kind": (points.last?.period.kind ?? .day).rawValue])]
            heads += isOne ? full : table.rows.flatMap { alone($0.label) }
            rows = points.map { point in
                row([answer.names.label(point.period)], point.figures.flatMap { isOne ? cells($0) : alone($0) })
            }
        }
    }

    private func ends(_ head: String) -> [String] {
        [Message.headFrom, .headTo].map { answer.locale.say($0, ["head": head]) }
    }

    private func value(_ quantity: Quantity) -> SheetCell { SheetCell(quantity.decimal, isShare: quantity.isShare) }

    private func bounds(_ quantity: Quantity) -> [SheetCell] {
        let bounds = answer.bounds(of: quantity)
        return [bounds?.low, bounds?.high].map { SheetCell($0, isShare: quantity.isShare) }
    }

    private func beside(_ quantity: Quantity) -> [SheetCell] {
        hasBounds.map { $0 ? bounds(quantity) : [SheetCell(quantity.within ?? margin)] } ?? []
    }

    private func nothing<Value>(_ reported: Reported<Value>, _ width: Int) -> [SheetCell] {
        [.text(reported.marker(in: answer.locale) ?? "")] + Array(repeating: .empty, count: width - 1)
    }

    private func own(_ quantity: Quantity) -> [SheetCell] {
        switch quantity {
        case .drawn, .estimate, .quantile:
            guard let part = quantity.amount, let all = whole?.amount else { return [value(quantity)] }
            let share = all > 0 ? Decimals(min(part, all), over: all, places: Quantity.sharePlaces) : nil
            return [value(quantity), SheetCell(share, isShare: true)]
        case .share(let part, let whole, _), .settled(let part, let whole):
            return [value(quantity), SheetCell(part), SheetCell(whole)]
        case .mean(_, _, let events, _): return [value(quantity), SheetCell(events)]
        }
    }

    private func alone(_ head: String) -> [String] {
        [head] + (hasBounds.map { $0 ? ends(head) : [answer.locale.say(.headOff, ["head": head])] } ?? [])
    }
    private func alone(_ figure: Figure) -> [SheetCell] {
        figure.quantity.map { [value($0)] + beside($0) } ?? nothing(figure, alone("").count)
    }

    private func changeHeads(_ comparison: AnswerComparison) -> [String] {
        let then = answer.names.short(comparison.period)
        let change = answer.locale.say(.headChangeSince, ["date": then])
        let percent = isShare ? [] : [answer.locale.say(.headChangeSincePercent, ["date": then])]
        return alone(then) + [change] + ends(change) + percent
    }

    private func change(_ compared: AnswerComparison.Compared) -> [SheetCell] {
        guard let change = compared.change.change else {
            return alone(compared.earlier) + nothing(compared.change, isShare ? 3 : 4)
        }
        let difference = [change.difference, change.interval.low, change.interval.high]
        return alone(compared.earlier) + difference.map { SheetCell($0, isShare: isShare) }
            + (isShare ? [] : [SheetCell(change.relative, isShare: true)])
    }
}

extension ReportDocument {
    /// The report as sheets of a workbook: what it is about and how to read it, then one an insight.
    package var sheets: [Sheet] { ([about] + answers.map { sheet(of: $0.inWords) }).named }

    private var about: Sheet {
        let facts = [
            locale.say(.sheetFor, ["partner": partner.title]), locale.say(.sheetApp, ["app": app.title]),
            locale.say(.sheetPeriod, ["period": periodLabel, "timeZone": app.timeZone]),
        ]
        let releases: [[SheetCell]] = sources.map {
            [.text($0.title), .text($0.period), SheetCell($0.threshold.devices), .text($0.digest.hex)]
        }
        let lines = [title, periodTitle] + [explanation].compactMap { $0 } + facts + partNotes
        let heads = [Message.headMetric, .headPeriod, .headLeast, .headDigest]
        return Sheet(
            name: locale.say(.sheetAbout), isRightToLeft: locale.isRightToLeft,
            lines: lines + [locale.say(.sheetMargins), locale.say(.sheetLeast)], heads: heads.map { locale.say($0) },
            rows: releases + [[.text(locale.say(.headPlan)), .empty, .empty, .text(plan.hex)]],
            notes: [deleteBy].compactMap { $0.map { locale.say(.sheetDelete, ["time": names.instant($0)]) } }
                + [locale.say(.questions, ["contact": app.contact])])
    }

    private func sheet(of answer: InsightAnswer) -> Sheet {
        let insight = answer.insight
        let table = answer.answered.map { SheetTable(answer, $0) }
        let lines = [insight.title, insight.explanation ?? answer.question, answer.sentence, periodTitle]
        return Sheet(
            name: insight.title, isRightToLeft: locale.isRightToLeft,
            lines: lines.filter { !$0.isEmpty } + answer.scopes, heads: table?.heads ?? [], rows: table?.rows ?? [],
            notes: answer.withheldNotes + answer.leaningNotes + answer.ageNotes + answer.likenesses
                + answer.notes.map(\.words) + (answer.answered?.basis.words(in: answer.wording) ?? []))
    }
}
