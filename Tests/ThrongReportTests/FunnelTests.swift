import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport

@Suite("A funnel is read from released cells alone, and a number that needs a withheld one is withheld")
struct FunnelTests {
    private func answer(_ name: InsightName, _ till: Till) throws -> InsightAnswer.Answered {
        try #require(try till.document.answers.first { $0.insight.name == name }?.answered)
    }

    private func stages(_ answered: InsightAnswer.Answered) throws -> [AnswerStage] {
        guard case .funnel(let stages) = answered.view else { throw Till.Missing() }
        return stages
    }

    @Test("each step has the identifiers of its cell and of all later ones, as parts of the step before and the first")
    func steps() throws {
        let answered = try answer("way", Till())
        // 829 + 400 + 375: cart, address, paid.
        #expect(answered.table.rows.map(\.figure.terms) == [[1604], [775], [375]])
        // A sum of cells has a margin of its own.
        let margins = answered.table.rows.compactMap { $0.figure.quantity?.within }
        #expect(margins.count == 3 && margins.allSatisfy { (1...45).contains($0) } && Set(margins).count > 1)
        let stages = try stages(answered)
        #expect(stages.map { $0.ofPrevious?.terms } == [nil, [775, 1604], [375, 775]])
        #expect(stages.map { $0.ofFirst?.terms } == [nil, [775, 1604], [375, 1604]])
        #expect(answered.basis.devices == nil && answered.basis.counts == .identifiers)
    }

    @Test("numbers equal those of an independent count, whichever cells are withheld", arguments: 0..<16)
    func agreement(withheld: Int) throws {
        var till = Till()
        let cells: [Int64] = [829, 400, 375]
        for step in 0..<3 where withheld >> step & 1 == 1 { till.way[2][step] = nil }
        if withheld >> 3 & 1 == 1 { till.whole = nil }
        let answered = try answer("way", till)
        for step in 0..<3 {
            // What anybody can add or subtract from what is published, in either way.
            let after = (step..<3).allSatisfy { withheld >> $0 & 1 == 0 }
            let before = till.whole != nil && (0..<step).allSatisfy { withheld >> $0 & 1 == 0 }
            let reached = cells[step...].reduce(0, +)
            #expect(answered.table.rows[step].figure.terms == (after || before ? [reached] : nil))
        }
        let stages = try stages(answered)
        for step in 1..<3 {
            let (first, last, own) = (
                answered.table.rows[0].figure, answered.table.rows[step - 1].figure, answered.table.rows[step].figure
            )
            // Of every conversion both numbers can be read beside it: one that cannot takes the conversion with it.
            func conversion(_ whole: Figure, from step: Int, to next: Int) -> [Int64]? {
                guard own != .withheld, whole != .withheld else { return nil }
                return [cells[next...].reduce(0, +), cells[step...].reduce(0, +)]
            }
            #expect(stages[step].ofPrevious?.terms == conversion(last, from: step - 1, to: step))
            #expect(stages[step].ofFirst?.terms == conversion(first, from: 0, to: step))
        }
    }

    @Test("a step that the whole leaves nothing for is withheld, as any small number is")
    func nothingLeft() throws {
        var till = Till()
        till.way[2] = [829, nil, nil]
        till.whole = 829
        let rows = try answer("way", till).table.rows
        #expect(rows.map(\.figure.terms) == [[829], nil, nil])
    }

    @Test(
        "withheld neighbours of a step's row are one cell that spans them",
        arguments: [(step: 0, spans: [1, 2, 1]), (step: 1, spans: [1, 3, 2]), (step: 2, spans: [1, 3, 3])])
    func spans(step: Int, spans: [Int]) throws {
        var till = Till()
        till.whole = nil
        // All steps up to it need it.
        till.way[2][step] = nil
        let lines = try till.document.html().split(separator: "\n")
        for (name, span) in zip(["Cart", "Address", "Paid"], spans) {
            let row = try #require(lines.first { $0.contains(#"<tr><th scope="row">\#(name)</th>"#) })
            #expect(row.components(separatedBy: "withheld-marker").count == 2)
            #expect(row.contains(#"<td class="n" colspan="\#(span)"><span class="withheld-marker">"#))
        }
    }

    @Test("the sentence names the group that comes furthest, and where only one step is published, that step")
    func sentences() throws {
        var till = Till()
        till.way[1] = [429, 200, 100]
        let groups = try till.document.html()
        #expect(
            groups.contains(
                "Of the groups shown, “iOS” has the highest part that came from “Cart” to “Paid”: about 33%; between"))
        till.way[2] = [nil, nil, nil]
        let alone = try till.document.html()
        #expect(alone.contains("About 1,600 visits came at least as far as “Cart”."))
    }

    @Test("by system each group is a funnel of its own")
    func groups() throws {
        let rows = try answer("way_by_system", Till()).table.rows
        #expect(
            rows.map { $0.buckets.map(\.text).joined(separator: " ") }.prefix(4) == [
                "iOS Cart", "iOS Address", "iOS Paid", "Android Cart",
            ])
        // Of Android's, nobody can tell who paid, nor who came to the address: their whole is not published.
        #expect(
            rows.map(\.figure.terms).prefix(6) == [[900], [500], [300], nil, nil, nil])
        #expect(rows[6...].map(\.figure) == [.withheld, .withheld, .withheld])
    }

    @Test("groups are compared at one step, the furthest that most of them have published")
    func comparable() throws {
        var till = Till()
        till.way[0] = [500, 300, 100]
        till.way[1] = [700, nil, nil]
        till.wholes[1] = 1090
        let page = try till.document.html()
        #expect(
            page.contains(
                "Of the groups shown, “iOS” has the highest part that came from “Cart” to “Address”: about 44%; between"
            )
        )
        till.way[1] = [500, 390, 130]
        let level = try till.document.html()
        #expect(level.contains("2 groups are too uncertain to tell which has the highest part"))
    }

    @Test("a frequency within windows says what it stands on")
    func frequency() throws {
        let answered = try answer("often", Till())
        #expect(answered.table.rows.map(\.figure.terms) == [[700], [250], nil])
        #expect(answered.table.whole == .published(.drawn(1000, of: .identifiers, within: 15)))
        #expect(answered.table.rest?.quantity == .drawn(50, of: .identifiers))
        #expect(answered.basis.counts == .identifiers)
        #expect(answered.basis.statement == "identifiers: each once, and a device has another one in a later window")
    }

    @Test("the page says how often in words; files keep the bands' names")
    func words() throws {
        let document = try Till().document
        let page = try document.html()
        #expect(page.contains("“once” is the most frequent, with about 700 of about 1,000 visits (70%); off by"))
        #expect(page.contains("2 to 4 times") && page.contains("5 times or more"))
        #expect(!page.contains("2-4") && !page.contains("&gt;=5"))
        #expect(document.csv.contains(",2-4,"))
        #expect(document.json.contains("2-4"))
    }

    @Test("the page says in a sentence how many came how far, draws every step, and hatches those that are withheld")
    func page() throws {
        let page = try Till().document.html()
        #expect(
            page.contains("Of about 1,600 visits at “Cart”, about 23.4% came as far as “Paid” (380); between "))
        #expect(page.contains("48.3% of the step before"))
        #expect(page.contains("Counts visits: a device that comes back after 15 minutes counts again"))
        var till = Till()
        till.way[2][2] = nil
        till.whole = nil
        let gaps = try till.document.html()
        #expect(!gaps.contains("48.3% of the step before"))
        #expect(!gaps.contains("Of about 1,600"))
        #expect(
            gaps.components(separatedBy: "fill=\"url(#withheld)\"").count
                > page.components(separatedBy: "fill=\"url(#withheld)\"").count)
    }
}
