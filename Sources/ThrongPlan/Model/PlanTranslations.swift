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

    /// The texts in several languages, by place.
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
        guard !translations.words.isEmpty else { return self }
        var plan = self
        for (place, words) in translations.words {
            guard let best = words.best(for: language) else { continue }
            plan.translations.spoken[place] = best.language
            plan.replace(place, with: best.text)
        }
        return plan
    }

    /// Returns the language that a report's reader reads: the report's, or its partner's, or else the one in which it
    /// writes numbers.
    package func language(of report: Report) -> LanguageTag? {
        report.language ?? partner(report.partner)?.language ?? LanguageTag(report.locale.rawValue)
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
            let message =
                """
                \(place) is not there in \(missing.map(\.text).joined(separator: ", ")), in which other texts are; \
                readers of it get it in \(words.fallback)
                """
            guard let part = PlanPart.allCases.first(where: { $0.section == parts[0] }), parts.count == 3 else {
                return PlanProblem(file: places.file, line: nil, column: nil, message: message)
            }
            return places.message(on: part, named: parts[1], message)
        }
    }

    private mutating func replace(_ place: String, with text: String) {
        let parts = place.split(separator: ".").map(String.init)
        guard let section = parts.first, let key = parts.last else { return }
        let name = parts.dropFirst().first
        switch (section, key) {
        case ("app", "title"): app.title = text
        case ("purposes", "explanation"):
            for index in purposes.indices where purposes[index].name.text == name { purposes[index].explanation = text }
        case ("dimensions", "title"):
            for index in dimensions.indices where dimensions[index].name.text == name { dimensions[index].title = text }
            for index in derivedDimensions.indices where derivedDimensions[index].name.text == name {
                derivedDimensions[index].title = text
            }
        case ("metrics", "title"):
            for index in metrics.indices where metrics[index].name.text == name { metrics[index].title = text }
        case ("metrics", "question"):
            for index in metrics.indices where metrics[index].name.text == name { metrics[index].question = text }
        case ("insights", "title"):
            for index in insights.indices where insights[index].name.text == name { insights[index].title = text }
        case ("insights", "explanation"):
            for index in insights.indices where insights[index].name.text == name { insights[index].explanation = text }
        case ("reports", "title"):
            for index in reports.indices where reports[index].name.text == name { reports[index].title = text }
        case ("reports", "explanation"):
            for index in reports.indices where reports[index].name.text == name { reports[index].explanation = text }
        default: break
        }
    }
}
