import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Promise 7: what a person is asked and what was sent are there to be shown")
struct AskingTests {
    private static func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    @Test(
        "a question says what for, what, how coarsely, how long, for whom, and takes one answer as easily as the other")
    func question() async throws {
        let world = try await World(consents: false)
        let questions = await world.throng.consentQuestions
        let question = try #require(questions.first { $0.id == "product" })
        #expect(try Self.copy(question) == question)
        #expect(question.title.text == "May Cook count this?" && question.app.text == "Cook")
        #expect(question.explanation.text == "To see which recipes are used.")
        #expect(question.choices.map(\.consent) == [.authorized, .denied])
        #expect(question.counted.map(\.metric) == ["recipes", "monthly_recipes", "purchases"])
        let parts = question.counted[0].parts
        #expect(parts.map(\.title.text) == ["System", "Category"])
        #expect(parts[1].buckets == ["dessert", "main", "other"])
        let sum = try #require(question.counted[2].sums.first)
        #expect(sum.name == "revenue" && sum.lowest == 0 && sum.highest == 100 && sum.unit == "EUR")
        #expect(question.identifierSeconds == 86_400 && question.threshold == 20)
        #expect(question.retentionSeconds > 86_400 && question.contact == "privacy@example.com")

        try await world.throng.answer(question, with: .authorized)
        #expect(await world.throng.consent(for: "product") == .authorized)
        #expect(await !world.throng.consentQuestions.contains { $0.id == "product" })
        // In the settings it is still there, with what was said.
        #expect(await world.throng.consentQuestion(for: "product")?.consent == .authorized)
        try await world.throng.answer(question, with: .denied)
        #expect(await world.throng.consent(for: "product") == .denied)
        #expect(await world.throng.consentQuestion(for: "nothing") == nil)
    }

    @Test("nobody is asked what a signal has answered", arguments: [true, false])
    func signals(isSet: Bool) async throws {
        let world = try await World(consents: false) { if isSet { $0.signals = [.globalPrivacyControl] } }
        #expect(await world.throng.consentQuestions.contains { $0.id == "product" } == !isSet)
        let refused = await world.throng.consentQuestion(for: "product")?.refusedBy
        #expect(refused == (isSet ? [.globalPrivacyControl] : []))
    }

    @Test("an answer holds for the version that was shown, not for the one that came meanwhile")
    func version() async throws {
        let world = try await World(consents: false)
        let question = try #require(await world.throng.consentQuestion(for: "product"))
        let newer = try CookPlan(
            CookPlan.yaml.replacing("consent: required\n", with: "consent: required\n    consent_version: 2\n"))
        world.daemon.publish(newer.document)
        #expect(await world.throng.refreshPlan())
        try await world.throng.answer(question, with: .authorized)
        #expect(await world.throng.consent(for: "product") == .notDetermined)
        let again = try #require(await world.throng.consentQuestions.first { $0.id == "product" })
        #expect(again.version == 2)
        try await world.throng.answer(again, with: .authorized)
        #expect(await world.throng.consent(for: "product") == .authorized)
    }

    @Test("an app's words take the place of the library's")
    func localized() async throws {
        let world = try await World(consents: false) { options in
            options.localize = { key, words in key == "throng.refuse" ? "Nein" : words }
        }
        let choices = await world.throng.consentQuestion(for: "product")?.choices.map(\.words)
        #expect(choices == [SpokenText("Yes, count it", language: "en"), SpokenText("Nein")])
    }

    @Test("the inspection shows what waits and what was sent as the daemon counts it")
    func inspection() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("purchase", ["amount": 3.5, "app_version": "2.1.7"])
        let before = await world.throng.inspection
        #expect(try Self.copy(before) == before)
        #expect(before.sent.isEmpty && before.waiting.map(\.event) == ["recipe_opened", "purchase"])
        let cake = try #require(before.waiting.first)
        #expect(cake.fields == ["os": "ios", "category": "dessert"] && cake.refused == nil)
        #expect(cake.counted.map(\.metric) == ["recipes", "monthly_recipes"])
        #expect(cake.counted.map(\.period) == ["2026-11-02", "2026-11"])
        #expect(cake.counted[0].buckets.map(\.label) == ["ios", "dessert"])
        #expect(cake.counted[0].buckets.map(\.title.text) == ["System", "Category"])

        _ = await world.throng.flush()
        let after = await world.throng.inspection
        #expect(after.waiting.isEmpty && after.sent.count == 1)
        #expect(after.sent[0].events.map(\.counted) == before.waiting.map(\.counted))
        #expect(after.sent[0].outcome == .counted(events: 2, refused: [:]))
        // The daemon's own cells, under the same words.
        for counted in after.sent[0].events.flatMap(\.counted) {
            let cell = Daemon.Cell(
                metric: counted.metric, period: counted.period, labels: counted.buckets.map(\.label))
            #expect(world.daemon.cells[cell] == 1, "\(cell) of \(world.daemon.cells.keys)")
        }
        // What takes something back has no events, and is there as well.
        try await world.throng.setConsent(.denied, for: "product")
        #expect(await world.throng.inspection.withdrawing == 1)
        _ = await world.throng.flush()
        let withdrawn = await world.throng.inspection
        #expect(withdrawn.sent.count == 2 && withdrawn.sent[0].events.isEmpty && withdrawn.withdrawing == 0)
    }

    @Test("what the daemon refused says why, and what was dropped is numbered")
    func refusals() async throws {
        let world = try await World()
        let refusal = #"{"accepted":0,"refused":[{"index":0,"reason":"partition_conflict"}]}"#
        world.line.set(.answer(ClientResponse(status: 202, body: .init(refusal.utf8))))
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("teleport")
        _ = await world.throng.flush()
        let inspection = await world.throng.inspection
        #expect(inspection.sent.first?.events.map(\.refused) == ["partition_conflict"])
        #expect(inspection.dropped[DropReason.unknownEvent.rawValue] == 1)
    }
}
