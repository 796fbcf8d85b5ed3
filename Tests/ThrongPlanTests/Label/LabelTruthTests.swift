import Foundation
import Testing

@testable import ThrongPlan

@Suite("Promise 7: every sentence of a label is true of its plan")
struct LabelTruthTests {
    @Test("each sentence has a form that is known, and is true", arguments: LabelledPlan.allCases)
    func sentences(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let label = plan.label(today: SamplePlan.today)
        try expect(label.promises, LabelClaim.ofApp, .init(plan: plan))
        try expect(label.rights + label.steps, LabelClaim.ofRights, .init(plan: plan))
        #expect(label.steps.count == 4)
        for (said, purpose) in zip(label.purposes, plan.purposes) {
            try expect(said.facts.map(\.sentence), LabelClaim.ofPurpose, .init(plan: plan, purpose: purpose))
            let counted = plan.metrics.filter { $0.purpose == purpose.name }
            #expect(said.metrics.count == counted.count)
            for (facts, metric) in zip(said.metrics.map(\.facts), counted) {
                let subject = LabelClaim.Subject(plan: plan, purpose: purpose, metric: metric)
                try expect(facts.map(\.sentence), LabelClaim.ofMetric, subject)
            }
        }
    }

    @Test("a sentence about another plan is caught")
    func control() throws {
        let claims = LabelClaim.ofPurpose
        let (day, none) = (try LabelledPlan.plain.plan(), try LabelledPlan.absent.plan())
        let said = try #require(day.label(today: SamplePlan.today).purposes.first?.facts.map(\.sentence))
        let untrue = try Self.untrue(said, claims, .init(plan: none, purpose: none.purposes[0]))
        #expect(untrue.contains { $0.hasPrefix("Your device sends a random code") }, "\(untrue)")
        #expect(try Self.untrue(["Something else."], claims, .init(plan: day, purpose: day.purposes[0])).count == 1)
    }

    @Test("nothing that readers ask is left out", arguments: LabelledPlan.allCases)
    func complete(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let label = plan.label(today: SamplePlan.today)
        for (said, purpose) in zip(label.purposes, plan.purposes) {
            let topics = Set(said.facts.map(\.topic))
            #expect(said.sentByServers == (shape == .servers))
            var asked: Set = ["Consent", "Code", "Proof", "Kept"]
            if purpose.identifier == .rotating { asked.insert("Taken back") }
            if purpose.senders == .anybody { asked.insert("Way") }
            if purpose.refusedBy.contains(.doNotTrack) { asked.insert("Signals") }
            #expect(asked.isSubset(of: topics), "\(asked.subtracting(topics))")
            for (facts, metric) in zip(said.metrics.map(\.facts), plan.metrics.filter { $0.purpose == purpose.name }) {
                let topics = facts.map(\.topic)
                #expect(topics.contains("Counts") && topics.contains("Margin") && topics.contains("Until"))
                #expect(topics.contains("Sampling") == (metric.sampling < 1))
                #expect(topics.contains("Published") == (metric.threshold.devices > plan.app.threshold.devices))
                #expect(topics.contains("Split by") == !metric.dimensions.isEmpty)
            }
        }
    }

    @Test(
        "each purpose names those who see its numbers, and no partner who sees none", arguments: LabelledPlan.allCases)
    func readers(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let label = plan.label(today: SamplePlan.today)
        for (said, purpose) in zip(label.purposes, plan.purposes) {
            let own = try #require(said.recipients.first?.title)
            #expect(own.contains(plan.app.title) && own.contains("read all of these numbers"))
            #expect(own.contains("Whoever runs the database can read the exact counts until they go."))
            let partners = plan.partners.filter { partner in
                plan.reports.filter { $0.partner == partner.name }.flatMap(\.insights).contains { name in
                    plan.metrics.contains { $0.name == plan.insight(name)?.metric && $0.purpose == purpose.name }
                }
            }
            let names = partners.map { $0.isEverybody ? "Everybody" : "\($0.title) (\($0.contact))" }
            #expect(said.recipients.dropFirst().map(\.title) == names)
        }
    }

    @Test("the words are those of readers, and of eight years at school at most", arguments: LabelledPlan.allCases)
    func plain(shape: LabelledPlan) throws {
        let label = try shape.plan().label(today: SamplePlan.today)
        let facts = label.purposes.flatMap { $0.facts + $0.metrics.flatMap(\.facts) }.map(\.sentence)
        let recipients = label.purposes.compactMap(\.recipients.first?.title)
        let texts = [label.lede, label.coarsening] + label.promises + label.rights + label.steps + facts + recipients
        for text in texts + label.dimensions.flatMap({ [$0.source, $0.summary] }) {
            let words = text.lowercased().split { !$0.isLetter }.map(String.init)
            let unfit = [
                "event", "events", "identifier", "identifiers", "cell", "cells", "floor", "floors", "band", "bands",
                "k",
            ]
            #expect(Set(words).isDisjoint(with: unfit), "\(text)")
        }
        let grade = ReadingLevel.grade(of: texts.flatMap({ Self.sentences(of: $0) }))
        #expect(grade <= 8, "Flesch–Kincaid: \(grade)")
    }

    @Test("several languages: the plan's texts are the reader's, and what is said of it stays true")
    func languages() throws {
        let plan = try LabelledPlan.languages.plan().translated(into: LanguageTag("de"))
        #expect(plan.label(today: SamplePlan.today).title == "What Spiel counts")
        #expect(plan.label(today: SamplePlan.today).dimensions.map(\.title) == ["Maß"])
    }

    @Test("an Arabic label has Arabic digits, but for codes", arguments: LabelledPlan.allCases)
    func digits(shape: LabelledPlan) throws {
        let arabic = try #require(LanguageTag("ar").flatMap { Language($0) })
        let label = try shape.plan().label(today: SamplePlan.today, in: arabic)
        let facts = label.purposes.flatMap { $0.facts + $0.metrics.flatMap(\.facts) }
        let texts = [label.text.replacing(label.plan, with: "")] + label.steps + facts.map(\.text)
        for text in texts {
            let lines = text.split(separator: "\n").filter { $0.contains { ("0"..."9").contains($0) } }
            #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
        }
        #expect(label.steps.contains { $0.contains(arabic.written("\(label.threshold)")) })
        let end = try #require(CalendarDate("2027-06-30"))
        #expect(facts.contains { $0.text.contains(arabic.date("yMMMMd", end)) })
    }

    @Test("a number of the plan is written as the reader's language does, and other texts with its digits")
    func written() throws {
        let arabic = try #require(LanguageTag("ar").flatMap { Language($0) })
        #expect(arabic.written("20") == "٢٠" && arabic.written("0.5") == "٠٫٥" && arabic.written("-3") == "\u{2212}٣")
        #expect(arabic.written("20000") == "٢٠٬٠٠٠" && Language.german.written("20000") == "20.000")
        #expect(Language.german.written("0.5") == "0,5" && Language.english.written("20000") == "20,000")
        #expect(arabic.digits("02:09") == "٠٢:٠٩")
        for language in Language.all where language != arabic {
            #expect(["20", "1e+16"].allSatisfy { language.written($0) == $0 }, "\(language.tag)")
            #expect(language.digits("02:09") == "02:09", "\(language.tag)")
        }
    }

    @Test("the record says of each plan what its label says", arguments: LabelledPlan.allCases)
    func record(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let record = ProcessingRecord(of: plan)
        let text = record.markdown
        let isShowing = plan.purposes.contains { $0.identifier == .rotating }
        #expect(text.contains("Throng tells neither people nor devices apart.") == !isShowing)
        #expect(text.contains("No identifier comes with it.") == !isShowing)
        #expect(text.contains("an address and an identifier;") == isShowing)
        #expect(text.contains("only proved ones count") == plan.purposes.contains { $0.floor == .attested })
        #expect(
            text.contains("Identifiers without proof")
                == plan.purposes.contains { $0.identifier == .rotating && $0.floor == .any })
        #expect(text.contains("only backends may send") == plan.purposes.contains { $0.senders == .backends })
        #expect(
            text.contains("Values that are learned are an exception") == plan.dimensions.contains(where: \.isRevealed))
        #expect(text.contains("Whoever runs the database can read the exact counts until they go."))
        #expect(text.contains("after some 400 days at the latest if none is."))
        for purpose in record.purposes {
            let point = record.open.first { $0.part == .purposes && $0.text.contains("'\(purpose.name)'") }
            let isTakenOut = point?.text.contains("can be taken out then") ?? false
            let isAsked = purpose.basis == .consent || purpose.basis == .consentOfParent
            #expect(isTakenOut == (isAsked && purpose.rotationSeconds != nil))
        }
    }

    private func expect(_ texts: [String], _ claims: [LabelClaim], _ subject: LabelClaim.Subject) throws {
        let untrue = try Self.untrue(texts, claims, subject)
        #expect(untrue.isEmpty, "\(untrue.joined(separator: "\n"))")
    }

    /// Returns sentences that have none of the forms, or are not true.
    private static func untrue(
        _ texts: [String], _ claims: [LabelClaim], _ subject: LabelClaim.Subject
    ) throws -> [String] {
        try texts.flatMap { sentences(of: $0) }.filter { sentence in
            let known = try claims.compactMap { claim in try claim.groups(in: sentence).map { (claim, $0) } }
            return !known.contains { claim, groups in claim.isTrue(subject, groups) }
        }
    }

    /// Returns the sentences of a text without their full stops. A capital letter follows where one ends.
    static func sentences(of text: String) -> [String] {
        var sentences: [String] = []
        for part in text.components(separatedBy: ". ") {
            if part.first?.isUppercase == true || sentences.isEmpty {
                sentences.append(part)
            } else {
                sentences[sentences.count - 1] += ". " + part
            }
        }
        return sentences.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    }
}

/// The grade of Kincaid et al. (1975), Derivation of New Readability Formulas for Navy Enlisted Personnel.
enum ReadingLevel {
    static func grade(of sentences: [String]) -> Double {
        let words = sentences.flatMap { $0.split { !$0.isLetter && $0 != "’" } }.filter {
            $0.contains(where: \.isLetter)
        }
        let syllables = words.map { max(1, Self.syllables(of: $0.lowercased())) }.reduce(0, +)
        return 0.39 * Double(words.count) / Double(sentences.count) + 11.8 * Double(syllables) / Double(words.count)
            - 15.59
    }

    /// Runs of vowels, without a mute e at the end.
    private static func syllables(of word: String) -> Int {
        let runs = word.split { !"aeiouy".contains($0) }.count
        let isMute =
            word.hasSuffix("e") && !word.hasSuffix("le")
            || word.hasSuffix("ed") && !word.hasSuffix("ted") && !word.hasSuffix("ded")
        return isMute ? runs - 1 : runs
    }
}
