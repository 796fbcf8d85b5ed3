import Foundation
import Testing

@testable import ThrongPlan

@Suite("Anyone can see what is counted, why, how coarsely, for how long and who receives it")
struct PlanPublicationTests {
    @Test("the privacy label names every purpose, metric, dimension in use, retention, recipient and the contact")
    func label() throws {
        let plan = try SamplePlan.shop()
        let label = plan.privacyLabel(today: SamplePlan.today).replacing("\n  ", with: " ").replacing("\n", with: " ")
        for purpose in plan.purposes {
            #expect(label.contains(purpose.explanation))
            #expect(label.contains("kept for \(purpose.retention.planText)"))
        }
        for metric in plan.metrics {
            #expect(label.contains(metric.question))
            #expect(label.contains(Language.english.date("yMMMMd", metric.expires)))
        }
        for dimension in plan.dimensions { #expect(label.contains("- \(dimension.title), from ")) }
        for partner in plan.partners { #expect(label.contains("\(partner.title) (\(partner.contact))")) }
        for insight in plan.insights { #expect(label.contains(insight.title)) }
        #expect(label.contains("at least 20 devices"))
        #expect(label.contains(plan.app.contact))
    }

    @Test("no line of the privacy label is longer than 100 columns")
    func width() throws {
        let lines = try SamplePlan.shop().privacyLabel(today: SamplePlan.today).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test("the privacy label says that an expired metric no longer counts")
    func expired() throws {
        let plan = try SamplePlan.small("2027-06-30", "2026-06-30")
        #expect(plan.privacyLabel(today: SamplePlan.today).contains("Counting ended on 30 June 2026."))
    }

    @Test("the public document holds every bucket and no delivery folder")
    func document() throws {
        let plan = try SamplePlan.shop()
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        for dimension in plan.dimensions {
            for label in try dimension.rule.labels() { #expect(text.contains("\"\(label)\"")) }
        }
        #expect(!text.contains("reports/bank"))
        #expect(!text.contains(plan.app.owner))
        #expect(text.contains("\"rotation_seconds\":86400"))
        #expect(text == String(decoding: try plan.publicDocument(), as: UTF8.self))
    }

    @Test("the public document reads back as what was written")
    func roundTrip() throws {
        let plan = try SamplePlan.shop()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(PublicPlan.self, from: try plan.publicDocument()) == (try plan.publicPlan()))
    }

    @Test("clients hear which purposes are for backends alone", arguments: LabelledPlan.allCases)
    func senders(labelled: LabelledPlan) throws {
        let found = try labelled.plan().publicPlan().purposes.map(\.senders)
        #expect(found.contains(.backends) == (labelled == .servers) && !found.contains(.anybody))
    }

    @Test("an event's fields are the ones that its metrics use, for their purpose only")
    func fields() throws {
        let plan = try SamplePlan.shop()
        #expect(plan.fields(of: "purchase", purpose: "product") == ["amount", "lifecycle", "user_agent"])
        #expect(plan.fields(of: "home", purpose: "product") == ["screen", "user_agent"])
        #expect(plan.fields(of: "home", purpose: "marketing") == ["channel"])
        #expect(plan.fields(of: "purchase", purpose: "marketing").isEmpty)
        #expect(
            plan.contextFields(of: "product") == [
                "amount", "channel", "lifecycle", "memory_gb", "screen", "user_agent",
            ])
    }
}
