import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("A number that is missing: the edit that would tell it, from the plan alone")
struct PlanAskedTests {
    private static let now = UnixSeconds(SamplePlan.today.daysSince1970 * 86_400 + 3600)

    private func asked(_ form: String, partner: PartnerName? = nil) throws -> AskedNumber {
        let pairs = form.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
        let values = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        return try #require(AskedNumber(for: partner) { values[$0] })
    }

    private func plan(_ text: String) throws -> Plan {
        try Plan(yaml: text, file: "p.yaml", today: SamplePlan.today)
    }

    /// The text with lines put into it, as somebody would do by hand: under their section, part and key.
    private func merged(_ text: String, _ lines: String) -> String {
        var all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        var (place, end) = (0, 0)
        for line in lines.split(separator: "\n").map(String.init) {
            let indent = line.prefix { $0 == " " }
            let key = indent + line.dropFirst(indent.count).prefix { $0 != ":" } + ":"
            if indent.isEmpty {
                if !all.contains(line) { all.append(line) }
                (place, end) = (all.firstIndex(of: line) ?? 0, 0)
            }
            end =
                all[(place + 1)...].firstIndex { other in
                    other.first.map { $0 != " " } ?? true
                        || indent.count > 2 && other.prefix { $0 == " " }.count < indent.count
                } ?? all.count
            if indent.isEmpty { continue }
            let known = all[place..<end].firstIndex { $0.hasPrefix(key) }
            if let known, line.count > key.count {
                all[known] = line
            } else if known == nil {
                all.insert(line, at: end)
            }
            if indent.count < 4 || line.count == key.count { place = known ?? end }
        }
        return all.joined(separator: "\n") + "\n"
    }

    /// The edit of a plan's text, after it was found to make the plan tell the number and to leave other metrics as they were.
    private func edit(_ form: String, partner: PartnerName? = nil, of text: String) throws -> AskedEdit {
        let (asked, before) = (try asked(form, partner: partner), try plan(text))
        #expect(asked.metric(of: before) == nil)
        let edit = try #require(AskedEdit(asked, of: before, now: Self.now), "\(form)")
        let after = try plan(merged(text, edit.lines))
        let metric = try #require(asked.metric(of: after), "\(edit.lines)")
        for other in before.metrics where other.name != metric.name { #expect(after.metric(other.name) == other) }
        func idle(_ plan: Plan) -> Int {
            plan.lint(today: SamplePlan.today).count { $0.message.contains("is in no report") }
        }
        #expect(idle(after) == idle(before), "what is drafted goes to somebody")
        #expect(AskedEdit(asked, of: after, now: Self.now) == nil, "what a plan tells needs no edit")
        let (earlier, later) = (before.marginLines(), after.marginLines())
        for (now, then) in edit.changes {
            #expect(later.contains(then) && now.map { earlier.contains($0) } ?? true)
            guard let now else { continue }
            #expect((now.metric, now.names) == (then.metric, then.names) && now.figures != then.figures)
        }
        let changed = later.filter { !$0.figures.isEmpty && !earlier.map(\.figures).contains($0.figures) }
        #expect(changed.allSatisfy { line in edit.changes.contains { $0.then == line } }, "no change is left out")
        return edit
    }

    @Test("a metric gets what it lacks: devices, a longer period, a grouping", arguments: ["\n", "\r\n"])
    func grown(newline: String) throws {
        let bare = SamplePlan.small.replacing("      reach: true\n", with: "")
            .replacing("    period: day\n    measures:", with: "    period: day\n    margins: [[os]]\n    measures:")
        let text = bare.replacing("\n", with: newline)
        let head = "metrics:\n  views:\n"
        let devices = try edit("metric=views&measure=devices&kind=day", of: text)
        #expect(devices.lines == head + "    measures:\n      reach: true")
        #expect(try edit("metric=views&kind=week", of: text).lines == head + "    rollups: [week]")
        let grouping = try edit("metric=views&split=age&kind=day", of: text)
        #expect(grouping.lines == head + "    margins: [[os], [age]]")
        let age = try #require(grouping.changes.first { $0.then.names == ["age"] })
        #expect(age.now == nil && age.then.figures.map(\.what) == [.devices, .shown, .events, .sum])
        let guess = try #require(grouping.changes.first { $0.then.names == nil && $0.then.metric == "views" })
        let (now, then) = (guess.now?.figures.first?.number ?? 0, guess.then.figures.first?.number ?? 0)
        #expect(50 <= now && now < then && then <= 100, "what is drawn besides tells more of one device")
        // Any style of YAML is as good, and what else stands in the text.
        for (old, new) in [
            ("    margins: [[os]]", "    margins:\n    - # one\n      [os]"),
            ("    margins: [[os]]", "    margins: [ [ 'os' ] ]"),
            ("\n    dimensions: [os, age]", "\n    dimensions: [os, age]  # \u{1F600} ]}"),
        ] {
            let plan = try plan(text.replacing(old, with: new))
            #expect(
                AskedEdit(try asked("metric=views&split=age&kind=day"), of: plan, now: Self.now)?.lines
                    == grouping.lines)
        }
    }

    @Test("a number by a dimension that is made of another, and devices of a plan in braces")
    func braces() throws {
        let text = PlanMarginTests.margined.replacing(
            "measures: {sums: {spent: {field: amount, from: -5, to: 500, decimals: 2}}, reach: true}",
            with: "measures: {sums: {spent: {field: amount, from: -5, to: 500, decimals: 2}}}")
        let devices = AskedEdit(try asked("metric=orders&measure=devices&kind=day"), of: try plan(text), now: Self.now)
        #expect(devices?.lines == "metrics:\n  orders:\n    measures:\n      reach: true")
        let maker = try edit("metric=orders&split=maker&measure=sum.amount&kind=week", of: text)
        #expect(maker.lines.hasSuffix("rollups: [week]"))
    }

    @Test(
        "what no metric has becomes one of its own, beside the others",
        arguments: [
            "event=share&kind=day", "event=share&field=country&measure=devices&kind=week",
            "event=view&amount=length&kind=day",
            "metric=views&field=country&kind=day", "metric=views&split=os&measure=sum.spent&kind=hour",
            "event=share&amount=spent&split=os&kind=month&decision=\"So: {what}\\",
        ])
    func added(form: String) throws {
        let edit = try edit(form, of: SamplePlan.small)
        #expect(edit.lines.contains("\n    expires: 2027-") && edit.changes.contains { $0.now == nil })
        #expect(edit.isFree == !edit.changes.contains { $0.now?.names != nil })
    }

    @Test("the sample's plan can be asked for anything that its events may tell")
    func sample() throws {
        let file = SamplePlan.repository.appending(path: "Deploy/sample/shop.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        for form in [
            "metric=product_views&split=browser&measure=devices&kind=day", "metric=searches&kind=month",
            "metric=pages&split=channel&kind=day", "event=share&split=os&kind=day",
        ] {
            let edit = try #require(AskedEdit(try asked(form), of: try plan(text), now: Self.now), "\(form)")
            #expect(!edit.lines.isEmpty && !edit.changes.isEmpty)
        }
    }

    @Test("a partner's number comes by an insight in a report of its own, by that report's schedule")
    func partner() throws {
        let made = try edit("metric=views&split=age&measure=devices&kind=day", partner: "bank", of: SamplePlan.small)
        #expect(made.lines.contains("reports:\n  daily:\n    insights: [by_system, views_by_age]"))
        let age = try asked("metric=views&split=age&measure=devices&kind=day", partner: "bank")
        let first = try #require(age.first(of: try plan(SamplePlan.small), now: Self.now))
        // Counting may begin at once, and the first whole day is the next; it is released a day after its end.
        #expect(first.period.start.value == (SamplePlan.today.daysSince1970 + 1) * 86_400)
        #expect(first.at.value == (SamplePlan.today.daysSince1970 + 3) * 86_400 + 6 * 3600)
        let asked = try asked("metric=views&kind=week", partner: "bank")
        #expect(AskedEdit(asked, of: try plan(SamplePlan.small), now: Self.now) == nil, "no report of weeks goes there")
        #expect(asked.first(of: try plan(SamplePlan.small), now: Self.now) == nil)
        _ = try edit("event=share&amount=price&kind=day", partner: "bank", of: SamplePlan.small)
    }

    @Test("a partner knows its own reports, their metrics, and what splits these")
    func known() throws {
        let text = SamplePlan.small.replacing(
            "insights:\n  by_system:",
            with: """
                  secret:
                    {title: Hidden, events: [hide], question: What?, decision: That., owner: Team, expires: 2027-06-30,
                     purpose: product, dimensions: [shade], period: day, measures: {sums: {depth: {field: deep, from: 0, to: 9}}}}
                insights:
                  hidden: {title: Hidden, metric: secret, kind: count}
                  by_system:
                """
        ).replacing("metrics:\n", with: "  shade: {title: Shade, field: shade, list: [dark, light]}\nmetrics:\n")
        let (all, own) = (try plan(text), try plan(text).known(to: "bank"))
        #expect(
            all.metrics.count == 2 && own.metrics.map(\.name) == ["views"] && own.insights.map(\.name) == ["by_system"])
        #expect(own.dimensions.map(\.name) == ["os", "age"] && own.reports.map(\.name) == ["daily"])
        // What it can't know is what it said itself, as if there were no such metric.
        let asked = try asked("metric=secret&split=shade&kind=day", partner: "bank")
        #expect(
            !asked.words(of: own, in: .english).contains("Hidden")
                && asked.words(of: all, in: .english).contains("Hidden"))
        #expect(!asked.words(of: own, in: .english).contains("Shade"))
        let made = try #require(AskedEdit(asked, of: all, now: Self.now)).lines
        #expect(made.contains("{title: \"Hidden by Shade\", metric: secret, kind: count, by: [shade]}"))
    }

    @Test("under a budget others pay in margin, and it is said whose and how much; without one nobody pays")
    func margins() throws {
        let form = "event=share&split=os&measure=devices&kind=day"
        #expect(try edit(form, of: SamplePlan.small).isFree)
        let plan = try plan(SamplePlan.small)
        let cost = try #require(plan.marginCost(of: plan.metrics[0]))
        let text = SamplePlan.small.replacing("  audience: 20000", with: "  audience: 20000\n  budget: \(cost)")
        let bound = try edit(form, of: text)
        #expect(!bound.isFree)
        let paid = try #require(bound.changes.first { $0.then.metric == "views" && $0.then.names == ["os"] })
        for (now, then) in zip(try #require(paid.now).figures, paid.then.figures) {
            #expect(now.what == then.what && now.number < then.number)
        }
    }

    @Test("a form is read as it is written, and what can't be a name asks for nothing")
    func form() throws {
        for form in [
            "metric=views&kind=day", "event=a_1&field=b&amount=c&kind=month", "metric=views&split=os&kind=hour",
        ] {
            let asked = try asked(form + "&decision= This\u{7}or\u{202e} \u{2028}\u{E000}that\u{FEFF}")
            #expect(asked.decision == "This or that")
            let pairs = Dictionary(uniqueKeysWithValues: asked.form)
            #expect(AskedNumber(for: nil) { pairs[$0] ?? nil } == asked)
        }
        for (name, value) in [
            ("metric", "Views"), ("event", "a b"), ("field", "x: y"), ("measure", "sum.'"), ("kind", "year"),
            ("measure", "median"), ("measure", "sum."), ("amount", "a.b"), ("event", String(repeating: "a", count: 64)),
            ("metric", "vie\u{301}ws"), ("split", "os\n"), ("field", "\u{FF4F}s"),
        ] {
            let values = ["metric": "views", "kind": "day"].merging([name: value]) { $1 }
            #expect(AskedNumber(for: nil) { values[$0] } == nil, "\(name)=\(value)")
        }
        for letter in ["a", "e\u{301}\u{301}", "\u{1F469}\u{200D}\u{1F469}", "\u{10FFFF}", "\u{4E00}"] {
            let values = ["metric": "views", "kind": "day", "decision": String(repeating: letter, count: 999)]
            let long = try #require(AskedNumber(for: nil) { values[$0] })
            #expect(long.decision.unicodeScalars.count <= AskedNumber.longestDecision)
        }
        for language in Language.all {
            let words = try asked("metric=views&split=os&measure=sum.spent&kind=week").words(
                of: try plan(SamplePlan.small), in: language)
            #expect(words.contains("Views") && words.contains("System") && words.contains("spent"), "\(words)")
        }
    }

    @Test("an edit that the reader does not take is no draft, whatever was written into it")
    func unreadable() throws {
        let odd = ["}", "]: [", "\"", "\\", "# x", "'", "${x}", "- a: b", "%", "\u{10FFFD}", "\u{4E00}\u{1F600}"]
        for decision in odd {
            let values = ["event": "share", "kind": "day", "decision": decision]
            let asked = try #require(AskedNumber(for: nil) { values[$0] })
            let lines = try #require(AskedEdit(asked, of: try plan(SamplePlan.small), now: Self.now)).lines
            let after = try plan(merged(SamplePlan.small, lines))
            #expect(asked.metric(of: after)?.decision == (asked.decision.isEmpty ? "Not said yet." : asked.decision))
        }
        // A name that is as long as names may be leaves room for a number behind it.
        let name = String(repeating: "a", count: 63)
        let edit = try edit("event=\(name)&kind=day", of: SamplePlan.small)
        #expect(edit.lines.contains("\n  \(name.dropLast(3)):\n") && edit.lines.contains("events: [\(name)]"))
    }
}
