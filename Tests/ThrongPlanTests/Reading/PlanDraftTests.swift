import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("A plan to begin with passes, whatever was answered")
struct PlanDraftTests {
    private static let sizes = [PlanDraft.smallestAudience, 160, 300, 3000, 1_000_000]
    private static let languages = Language.all.map { [$0] } + [[.german, .english], Language.all]

    /// All sets of one to three questions of a client.
    private static func topics(_ client: DraftClient) -> [[PlanTopic]] {
        let known = PlanTopic.allCases.filter { $0.isFor(client) }
        var sets: [[PlanTopic]] = []
        for first in known.indices {
            sets.append([known[first]])
            for second in known.indices where second > first {
                sets.append([known[second], known[first]])
                for third in known.indices where third > second {
                    sets.append([known[first], known[third], known[second]])
                }
            }
        }
        return sets
    }

    private func draft(
        _ client: DraftClient, _ topics: [PlanTopic], audience: Int = 3000, partner: String? = "Example Board",
        languages: [Language] = [.english]
    ) -> PlanDraft {
        PlanDraft(
            title: "My \"site\" \\ 2", client: client, topics: topics, audience: audience, partner: partner,
            languages: languages, today: SamplePlan.today)
    }

    /// Problems and advice about a draft.
    private func findings(_ draft: PlanDraft) -> [String] {
        do {
            let plan = try Plan(yaml: draft.yaml(schema: "s.json"), file: "p.yaml", today: SamplePlan.today)
            return plan.lint(today: SamplePlan.today).map(\.description)
        } catch {
            return error.all.map(\.description)
        }
    }

    @Test("the catalogue has each question, and all that its questions and metrics name")
    func catalogue() {
        let known = DraftCatalogue.standard
        #expect(known.topics.map(\.topic) == PlanTopic.allCases)
        #expect(Set(known.topics.compactMap(\.metric)) == Set(known.metrics.map(\.name)))
        let named = known.topics.flatMap { $0.dimensions ?? [] } + known.metrics.compactMap(\.dimension)
        #expect(Set(named) == Set(known.dimensions.map(\.name)))
    }

    @Test("every set of questions passes without advice, with a partner and without", arguments: DraftClient.allCases)
    func questions(client: DraftClient) {
        let sets = Self.topics(client)
        #expect(sets.count == (client == .both ? 231 : 129))
        for (number, topics) in sets.enumerated() {
            for partner in ["Example Board", nil] {
                let languages = Self.languages[number % Self.languages.count]
                let found = findings(draft(client, topics, partner: partner, languages: languages))
                #expect(found.isEmpty, "\(client) \(topics) \(partner ?? "nobody") \(languages)")
            }
        }
    }

    @Test("every audience, in every set of languages", arguments: DraftClient.allCases, sizes)
    func audiences(client: DraftClient, audience: Int) {
        for languages in Self.languages {
            for topic in PlanTopic.allCases where topic.isFor(client) {
                #expect(findings(draft(client, [topic], audience: audience, languages: languages)).isEmpty)
            }
        }
    }

    @Test("3,000 devices a day leave no question out, and forty all that splits them")
    func leftOut() {
        for client in DraftClient.allCases {
            let topics = PlanTopic.allCases.filter { $0.isFor(client) }
            #expect(draft(client, topics).leftOut.isEmpty)
            let few = draft(client, topics, audience: PlanDraft.smallestAudience)
            #expect(few.leftOut.map(\.topic) == topics.filter { $0 != .purchases })
            for (topic, audience) in few.leftOut {
                #expect(draft(client, [topic], audience: audience).leftOut.isEmpty)
                #expect(draft(client, [topic], audience: audience - 40).leftOut.map(\.topic) == [topic])
            }
        }
    }

    @Test(
        "snippets name events and fields that the plan counts, and by hand there is JSON",
        arguments: DraftClient.allCases)
    func snippets(client: DraftClient) throws {
        for topic in PlanTopic.allCases where topic.isFor(client) {
            let draft = draft(client, [topic])
            let plan = try Plan(yaml: draft.yaml(schema: "s.json"), file: "p.yaml", today: SamplePlan.today)
            let hand = try #require(draft.snippets.last)
            let body = hand.lines.dropFirst(2).dropLast().joined(separator: "\n").replacing("$window", with: "1")
            let batch = try #require(
                try JSONSerialization.jsonObject(with: Data(body.replacing("$(openssl rand -hex 16)", with: "a").utf8))
                    as? [String: Any])
            #expect(batch["app"] as? String == plan.app.name.text)
            let events = try #require(batch["events"] as? [[String: Any]]).compactMap { $0["event"] as? String }
            let counted = Set(plan.metrics.flatMap(\.events).map(\.text))
            #expect(!events.isEmpty && Set(events).isSubset(of: counted))
            let context = try #require(batch["context"] as? [String: String])
            #expect(Set(context.keys).isSubset(of: Set(plan.dimensions.map(\.field.text))))
            let own = plan.metrics.filter { $0.answered == nil }.flatMap(\.events).map(\.text)
            let all = draft.snippets.flatMap(\.lines).joined(separator: "\n")
            for event in own { #expect(all.contains("\"\(event)\""), "no snippet of \(topic) sends \(event)") }
        }
    }

    @Test("a drafted sum and a funnel's steps have titles in each language of the draft", arguments: languages)
    func measures(languages: [Language]) throws {
        let text = draft(.web, [.journey, .purchases], languages: languages).yaml(schema: "s.json")
        #expect(!text.contains("title: $"))
        let plan = try Plan(yaml: text, file: "p.yaml", today: SamplePlan.today)
        for language in languages {
            func title(_ part: String) -> String { language.say(.draftTitle, ["part": part]) }
            let told = plan.translated(into: language.tag)
            #expect(told.metrics.flatMap(\.sumTitles.values) == [title("revenue")])
            let within = try #require(told.metrics.compactMap(\.within).first)
            #expect(
                told.metrics.flatMap(\.steps).map { within.titles[$0.title] ?? $0.title.text }
                    == ["opened", "filled", "done"].map(title))
        }
    }

    @Test(
        "the name that clients send is made of the title",
        arguments: [
            ("My site", "my_site"), ("42 news", "app_42_news"), ("Ünïcode!", "n_code"), ("日本", "app"),
            (String(repeating: "a", count: 80), String(repeating: "a", count: 63)),
        ])
    func name(title: String, name: String) {
        let draft = PlanDraft(
            title: title, client: .web, topics: [.pages], audience: 3000, partner: nil, languages: [.english],
            today: SamplePlan.today)
        #expect(draft.name == name)
    }
}
