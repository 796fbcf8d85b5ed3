import Testing

@testable import ThrongPlan

@Suite("Sums and partners have titles in the reader's language")
struct PlanTitleTests {
    private static let spent = "spent: {field: amount"

    @Test("a sum and a partner have titles by language, which no counter and no layout knows")
    func sums() throws {
        let plan = try SamplePlan.small(Self.spent, "spent: {title: {en: Sales, de: Umsatz}, field: amount")
        let german = plan.translated(into: Language.german.tag)
        let (metric, sum) = (german.metrics[0], german.metrics[0].sums[0])
        #expect(metric.title(of: sum) == "Umsatz" && plan.metrics[0].title(of: sum) == "Sales" && sum.name == "spent")
        #expect(german.words(forSum: "spent", of: "views", in: .german)?.hasPrefix("Umsatz, ") == true)
        #expect(german.labelledFields.first { $0.name == "amount" }?.uses == ["Umsatz"])
        #expect(german.title(summing: "amount") == "Umsatz" && german.title(summing: "age_of") == "age of")
        #expect(try german.publicPlan().translations?["de"] == ["metrics.views.sums.spent.title": "Umsatz"])
        let plain = try SamplePlan.small("An App", "An App")
        #expect(plain.metrics[0].title(of: sum) == "spent" && plain.metrics[0].sums == metric.sums)
        #expect(try plan.layoutByLabel(of: plan.metrics[0]) == plain.layoutByLabel(of: plain.metrics[0]))
        let changes = try PlanDiff(from: plain, to: plan, rules: .system).changes
        #expect(changes.map(\.kind) == [.words] && changes[0].meaning.contains("'measures'"), "\(changes)")
        let partner = try SamplePlan.small("title: Bank", "title: {en: Bank, de: Hausbank}")
        #expect(partner.translated(into: Language.german.tag).partners[0].title == "Hausbank")
        #expect(partner.partners[0].title == "Bank" && partner.translations.words.count == 1)
        let other = try SamplePlan.small("title: Bank", "title: {en: Bank, de: Die Bank}")
        let renamed = try PlanDiff(from: partner, to: other, rules: .system).changes
        #expect(renamed.map(\.kind) == [.words] && renamed[0].meaning.contains("title"), "\(renamed)")
    }

    @Test(
        "the title of a sum or a partner that lacks a report's language is refused, and so are two sums that read alike",
        arguments: [
            ("title: Bank", "title: {en: Bank, fr: Banque}", "partners.bank.title is not there in de"),
            (spent, "spent: {title: {en: Sales, fr: Ventes}, field: amount", "metrics.views.sums.spent.title is not"),
            (spent, "cost: {title: spent, field: amount, from: 0, to: 9}\n        \(spent)", "both read 'spent'"),
        ])
    func lackingTitles(old: String, new: String, message: String) throws {
        let yaml = SamplePlan.small.replacing("partner: bank", with: "partner: bank\n    language: de")
            .replacing("kind: count", with: "kind: mean\n    sum: spent")
            .replacing(/(title|question): ([A-Z][^,\n]*)/) { match in
                match.2 == "Bank" ? String(match.0) : "\(match.1): {en: \(match.2), de: Ü \(match.2)}"
            }
        #expect(throws: Never.self) { try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today) }
        do {
            _ = try Plan(yaml: yaml.replacing(old, with: new), file: "small.yaml", today: SamplePlan.today)
            Issue.record("it was taken")
        } catch { #expect(error.all.count == 1 && error.all[0].description.contains(message), "\(error.all)") }
    }
}
