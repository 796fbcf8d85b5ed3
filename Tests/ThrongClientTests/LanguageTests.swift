import Foundation
import Probe
import Testing
import ThrongClient

@Suite("People read a plan in their language")
struct LanguageTests {
    private static func world(_ languages: [String], localize: Bool = false) async throws -> World {
        let yaml = CookPlan.yaml
            .replacing(
                "explanation: To see which recipes are used.",
                with: "explanation: {en: To see which recipes are used., de: Um zu sehen was gekocht wird.}"
            )
            .replacing(
                "question: Which recipes are opened?", with: "question: {en: Which recipes?, de: Welche Rezepte?}")
        return try await World(try CookPlan(yaml)) { options in
            options.languages = languages
            if localize { options.localize = { "\($0): \($1)" } }
        }
    }

    @Test(
        "the explanation and the questions are in the language that serves best, and say which",
        arguments: [
            (["de-AT", "en"], "Um zu sehen was gekocht wird.", "de"),
            (["de_DE.UTF-8"], "Um zu sehen was gekocht wird.", "de"),
            (["fr", "en"], "To see which recipes are used.", "en"), ([], "To see which recipes are used.", "en"),
            (["C", "klingon"], "To see which recipes are used.", "en"),
        ] as [([String], String, String)])
    func purposes(languages: [String], explanation: String, language: String) async throws {
        let world = try await Self.world(languages)
        let purpose = try #require(await world.throng.purposes.first { $0.id == "product" })
        #expect(purpose.explanation == explanation && purpose.language == language)
        #expect(purpose.questions.contains(language == "de" ? "Welche Rezepte?" : "Which recipes?"))
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        #expect(await world.throng.sent.map(\.explanation) == [explanation])
        let tuple = await world.throng.preview("recipe_opened", ["category": "cake"]).counted.first
        #expect(tuple?.explanation == explanation)
        #expect(tuple?.question == (language == "de" ? "Welche Rezepte?" : "Which recipes?"))
        // What a plan has once is in no language that it names.
        #expect(await world.throng.purposes.first { $0.id == "adverts" }?.language == nil)
    }

    @Test("an app's own translation gets the plan's best words")
    func localized() async throws {
        let world = try await Self.world(["de"], localize: true)
        let purpose = await world.throng.purposes.first { $0.id == "product" }
        #expect(purpose?.explanation == "throng.purpose.product: Um zu sehen was gekocht wird.")
    }

    @Test("the daemon is not told what the person reads")
    func silent() async throws {
        let world = try await Self.world(["de-AT"])
        #expect(await world.throng.refreshPlan())
        for request in world.line.requests {
            #expect(request.headers.keys.allSatisfy { $0.lowercased() != "accept-language" })
        }
        #expect(!world.line.requests.isEmpty)
    }
}
