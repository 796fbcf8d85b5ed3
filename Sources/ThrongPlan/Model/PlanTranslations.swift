package import ThrongWire

/// The texts of a plan that are there in several languages, by their places: `purposes.product.explanation`.
package struct PlanTranslations: Sendable, Hashable {
    package struct Words: Sendable, Hashable {
        package let texts: [LanguageTag: String]
        /// The language for readers of none of them: English, or the first.
        package let fallback: LanguageTag

        func best(for wanted: LanguageTag?) -> (language: LanguageTag, text: String)? {
            let tag = wanted.flatMap { LanguageTag.best(of: texts.keys, for: [$0]) } ?? fallback
            return texts[tag].map { (tag, $0) }
        }
    }

    package internal(set) var words: [String: Words] = [:]
    /// The language of the plan's own text, by place.
    package internal(set) var spoken: [String: LanguageTag] = [:]

    /// The languages in which some text is, sorted.
    package var languages: [LanguageTag] { Set(words.values.flatMap(\.texts.keys)).sorted() }

    mutating func add(_ words: Words, at place: String) {
        self.words[place] = words
        spoken[place] = words.fallback
    }
}

extension Plan {
    /// Returns the plan's language that serves a reader best; nil if it has none that they read.
    package func language(for wanted: [LanguageTag]) -> LanguageTag? {
        LanguageTag.best(of: translations.languages, for: wanted)
    }

    /// Returns the same plan with its texts in a language. Texts that are not there in it are in English, or in their
    /// first language; those that are there once stay as they are.
    package func translated(into language: LanguageTag?) -> Plan {
        let best = translations.words.compactMapValues { $0.best(for: language) }
        func put(_ text: inout String, at place: String) { text = best[place]?.text ?? text }
        func put(_ text: inout String?, at place: String) { text = best[place]?.text ?? text }
        var plan = self
        plan.translations.spoken.merge(best.mapValues(\.language)) { $1 }
        put(&plan.app.title, at: "app.title")
        for (place, part) in purposes.enumerated() {
            put(&plan.purposes[place].explanation, at: "purposes.\(part.name).explanation")
        }
        for (place, part) in dimensions.enumerated() {
            put(&plan.dimensions[place].title, at: "dimensions.\(part.name).title")
        }
        for (place, part) in derivedDimensions.enumerated() {
            put(&plan.derivedDimensions[place].title, at: "dimensions.\(part.name).title")
        }
        for (place, part) in metrics.enumerated() {
            put(&plan.metrics[place].title, at: "metrics.\(part.name).title")
            put(&plan.metrics[place].question, at: "metrics.\(part.name).question")
            plan.metrics[place].noun = part.noun.map { noun in
                let (one, many) = ("metrics.\(part.name).noun.one", "metrics.\(part.name).noun.many")
                return Noun(one: best[one]?.text ?? noun.one, many: best[many]?.text ?? noun.many)
            }
        }
        for (place, part) in insights.enumerated() {
            put(&plan.insights[place].title, at: "insights.\(part.name).title")
            put(&plan.insights[place].explanation, at: "insights.\(part.name).explanation")
        }
        for (place, part) in reports.enumerated() {
            put(&plan.reports[place].title, at: "reports.\(part.name).title")
            put(&plan.reports[place].explanation, at: "reports.\(part.name).explanation")
        }
        for (place, part) in partners.enumerated() where part.isEverybody {
            plan.partners[place].title = Language(for: [language].compactMap { $0 }).say(.everybody)
        }
        for (place, part) in annotations.enumerated() {
            put(&plan.annotations[place].text, at: "annotations.\(part.name).text")
        }
        return plan
    }

    /// Returns a report's language: its own, its partner's, or that of the plan's texts.
    package func language(of report: Report) -> LanguageTag {
        if let asked = report.language ?? partner(report.partner)?.language { return asked }
        let fallbacks = Set(translations.words.values.map(\.fallback)).sorted()
        let english = Language.english.tag
        return fallbacks.contains(english) ? english : fallbacks.first { Language($0) != nil } ?? english
    }

    /// Returns the language of the plan's text at a place; nil if the plan does not say.
    package func spoken(_ place: String) -> LanguageTag? { translations.spoken[place] }

    /// Returns a text in all of its languages, to see if it reads otherwise than another.
    func allWords(_ place: String, _ text: String) -> String {
        let others = translations.words[place].map { words in
            words.texts.sorted { $0.key < $1.key }.flatMap { [$0.key.text, $0.value] }
        }
        return ([text] + (others ?? [])).joined(separator: "\u{1f}")
    }

    /// Returns advice on texts that are missing in a language in which others are.
    func languageAdvice() -> [PlanProblem] {
        translations.words.sorted { $0.key < $1.key }.compactMap { place, words in
            let missing = translations.languages.filter { LanguageTag.best(of: words.texts.keys, for: [$0]) == nil }
            guard !missing.isEmpty else { return nil }
            let parts = place.split(separator: ".").map(String.init)
            let message = """
                \(place) is not there in \(missing.map(\.text).joined(separator: ", ")), in which other texts are; \
                readers of it get it in \(words.fallback)
                """
            guard let part = PlanPart.allCases.first(where: { $0.section == parts[0] }), parts.count == 3 else {
                return PlanProblem(file: places.file, line: nil, column: nil, message: message)
            }
            return places.message(on: part, named: parts[1], message)
        }
    }
}
