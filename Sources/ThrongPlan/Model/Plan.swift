// Names, buckets and calendars are words of the wire, which devices speak too. Code that reads plans needs them: one
// import here replaces a second one in every file that looks at a plan.
@_exported public import ThrongWire

/// A plan of what one app may count: the only way that anything comes to be counted.
///
/// A plan is read from YAML by ``Plan/init(yaml:file:today:)`` and is valid by construction: every name that it uses
/// exists, every metric has an owner and an expiry date, every cube fits its limit.
package struct Plan: Sendable, Hashable {
    /// The version of the format, as in the `$id` of `Schema/plan.schema.json`, within which a plan stays valid.
    package static let format = 1

    package var app: App
    package internal(set) var purposes: [Purpose]
    package internal(set) var dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others, in the plan's order.
    package internal(set) var derivedDimensions: [DerivedDimension] = []
    /// The metrics that are counted, in the plan's order.
    package var metrics: [Metric]
    package internal(set) var insights: [Insight]
    package internal(set) var reports: [Report]
    /// The partners, and last everybody where a report is public.
    package internal(set) var partners: [Partner]
    package let version: PlanVersion
    /// The text that it was read from.
    package internal(set) var text = ""
    /// The places at which the plan's parts are written, for advice that points at lines.
    package internal(set) var places: PlanPlaces = PlanPlaces(file: "the plan")
    package internal(set) var translations: PlanTranslations = PlanTranslations()
    package internal(set) var annotations: [Annotation] = []

    package func purpose(_ name: PurposeName) -> Purpose? { purposes.first { $0.name == name } }
    /// The dimension of that name that is made from a field, if the plan has one.
    package func dimension(_ name: DimensionName) -> Dimension? { dimensions.first { $0.name == name } }
    /// The dimension of that name that is made of another's buckets, if the plan has one.
    package func derivedDimension(_ name: DimensionName) -> DerivedDimension? {
        derivedDimensions.first { $0.name == name }
    }
    package func metric(_ name: MetricName) -> Metric? { metrics.first { $0.name == name } }
    package func insight(_ name: InsightName) -> Insight? { insights.first { $0.name == name } }
    package func report(_ name: ReportName) -> Report? { reports.first { $0.name == name } }
    package func partner(_ name: PartnerName) -> Partner? { partners.first { $0.name == name } }

    /// Returns the same plan for a crowd that is made up: the titles of its app and reports say so, in each language, and
    /// reports go nowhere but to folders within the data directory.
    package func forMadeUpCrowd() -> Plan {
        func marked(_ text: String, _ tag: LanguageTag) -> String { Language(for: [tag]).say(.madeUp, ["title": text]) }
        func warned(_ text: String?, _ tag: LanguageTag) -> String {
            let language = Language(for: [tag])
            return language.joined([language.say(.madeUpWarning), text ?? ""])
        }
        var plan = self
        plan.app.title = marked(app.title, reports.first.map(language) ?? Language.english.tag)
        for (place, report) in reports.enumerated() {
            let tag = language(of: report)
            plan.reports[place].title = marked(report.title, tag)
            plan.reports[place].explanation = warned(report.explanation, tag)
            plan.reports[place].deliveries = [.folder("reports/\(report.partner)")]
        }
        for (place, words) in translations.words {
            let parts = place.split(separator: ".")
            let isTitle = place == "app.title" || parts.first == "reports" && parts.last == "title"
            let isExplanation = parts.first == "reports" && parts.last == "explanation"
            guard isTitle || isExplanation else { continue }
            let texts = words.texts.map { ($0, isTitle ? marked($1, $0) : warned($1, $0)) }
            plan.translations.words[place] = PlanTranslations.Words(
                texts: Dictionary(uniqueKeysWithValues: texts), fallback: words.fallback)
        }
        return plan
    }

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
        func put(_ titles: inout [BucketLabel: String], at place: String) {
            for bucket in titles.keys { put(&titles[bucket], at: "\(place).\(bucket)") }
        }
        var plan = self
        let spoken = Language(for: [language].compactMap(\.self))
        plan.translations.spoken.merge(best.mapValues(\.language)) { $1 }
        put(&plan.app.title, at: "app.title")
        for (place, part) in purposes.enumerated() {
            put(&plan.purposes[place].explanation, at: "purposes.\(part.name).explanation")
        }
        for (place, part) in dimensions.enumerated() {
            put(&plan.dimensions[place].title, at: "dimensions.\(part.name).title")
            put(&plan.dimensions[place].titles, at: "dimensions.\(part.name).titles")
        }
        for (place, part) in derivedDimensions.enumerated() {
            put(&plan.derivedDimensions[place].title, at: "dimensions.\(part.name).title")
            put(&plan.derivedDimensions[place].titles, at: "dimensions.\(part.name).titles")
        }
        for (place, part) in metrics.enumerated() {
            put(&plan.metrics[place].title, at: "metrics.\(part.name).title")
            put(&plan.metrics[place].question, at: "metrics.\(part.name).question")
            plan.metrics[place].noun = part.noun.map { noun in
                let (one, many) = ("metrics.\(part.name).noun.one", "metrics.\(part.name).noun.many")
                return Noun(one: best[one]?.text ?? noun.one, many: best[many]?.text ?? noun.many)
            }
            if var histogram = part.histogram {
                put(&histogram.title, at: "metrics.\(part.name).histogram.title")
                plan.metrics[place].histogram = histogram
            }
            for sum in part.sumTitles.keys {
                put(&plan.metrics[place].sumTitles[sum], at: "metrics.\(part.name).sums.\(sum).title")
            }
            if let within = part.within { plan.metrics[place].within?.title = within.title(in: spoken) }
            for (number, step) in part.steps.enumerated() {
                let title = best["metrics.\(part.name).steps.\(number + 1).title"]?.text
                plan.metrics[place].within?.titles[step.title] = title
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
        for (place, part) in partners.enumerated() {
            put(&plan.partners[place].title, at: "partners.\(part.name).title")
            if part.isEverybody { plan.partners[place].title = spoken.say(.everybody) }
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
            let message = """
                \(place) is not there in \(missing.map(\.text).joined(separator: ", ")), in which other texts are; \
                readers of it get it in \(words.fallback)
                """
            return places.message(onText: place, message)
        }
    }
}

/// Something that happened on a day, for readers of trends.
package struct Annotation: Sendable, Hashable {
    let name: String
    package let date: CalendarDate
    package internal(set) var text: String
}

/// The SHA-256 of a plan's text: two plans with one version are the same text.
package struct PlanVersion: Hashable, Sendable, Codable {
    package let hex: String
    package init(hex: String) { self.hex = hex }
}

package struct App: Sendable, Hashable {
    /// The name that clients send as `app`.
    package let name: AppName
    package internal(set) var title: String
    /// The person or team that answers for the plan inside the organization.
    package let owner: String
    /// The contact for the public: a mail address or a page.
    package let contact: String
    /// The expected audience, in devices per day; the linter weighs k and the cubes against it.
    package let audience: Int
    /// The number of devices that a published number stands for at least, unless a metric asks for more.
    package let threshold: Threshold
    /// The most ρ that everything drawn of a device and day may cost; nil if margins follow from k alone.
    package internal(set) var budget: Double?
    /// The time zone in which the app's days begin: a name from the IANA time zone database.
    package var timeZone: String
    /// The time after a period's end for which its release waits for late events.
    package let grace: Duration
    /// The audience that the app is directed to: children, others, or both.
    package var directedTo: DirectedTo = .general
    /// The relay that oblivious purposes go through; nil if there is none.
    package var relay: RelayAddress?
    /// The evaluator of revealed dimensions' values before they are hashed; nil if nobody evaluates them.
    package var evaluator: Evaluator?
    package var keys: KeyRule = .optional

    /// The rule on app keys, by which an operator can tell clients apart and turn some of them away.
    package enum KeyRule: String, Sendable, Hashable, CaseIterable {
        /// A client needs no key, but one that it sends has to be good.
        case optional
        case required
    }
}

/// A purpose that something is counted for. Identifiers of two purposes can't be linked.
package struct Purpose: Sendable, Hashable {
    /// The name that clients send as `purpose`.
    package let name: PurposeName
    package internal(set) var explanation: String
    package let needsConsent: Bool
    /// True if a parent has to agree for a person who may be a child.
    package internal(set) var needsParent: Bool = false
    /// The legal basis where nobody is asked; nil if the plan does not say, and where a person's yes is it.
    package internal(set) var legalBasis: LegalBasis?
    /// The version that people are asked about, from 1; consent to an earlier one is asked for again.
    package internal(set) var consentVersion: Int = 1
    /// The use of the numbers; nil if the plan does not say.
    package internal(set) var use: PurposeUse?
    package let refusedBy: Set<OptOutSignal>
    package internal(set) var identifier: PurposeIdentifier = .rotating
    /// The devices that the purpose's floors count.
    package internal(set) var floor: FloorKind = .any
    /// The length of a window: the life of an identifier, or the time for which batches are recognized.
    package let rotation: Rotation
    /// The time for which released numbers are kept.
    package let retention: Duration
    package internal(set) var transport: PurposeTransport = .direct
    package internal(set) var senders: PurposeSenders = .anybody
    /// The number of identifiers of one network that lift floors in a window; nil for all.
    package internal(set) var floorPerNetwork: Int?

    /// True if the purpose's floors count proved devices alone.
    package var needsProof: Bool { floor == .attested }

    /// True if devices show an identifier, so that they can be told apart within a window.
    package var hasIdentifiers: Bool { identifier == .rotating }

    var unit: LabelUnit { LabelUnit(hasIdentifiers, rotation) }
}

/// A legal basis other than consent: Article 6(1)(b) to (f) of Regulation (EU) 2016/679 (GDPR).
package enum LegalBasis: String, Sendable, Hashable, Encodable, CaseIterable {
    case contract
    case legalObligation = "legal_obligation"
    case vitalInterests = "vital_interests"
    case publicTask = "public_task"
    case legitimateInterests = "legitimate_interests"

    /// Its letter in Article 6(1).
    var letter: String {
        switch self {
        case .contract: "b"
        case .legalObligation: "c"
        case .vitalInterests: "d"
        case .publicTask: "e"
        case .legitimateInterests: "f"
        }
    }

    /// True if people may object (Article 21(1)).
    var allowsObjection: Bool { self == .publicTask || self == .legitimateInterests }

    /// "legitimate interests".
    var words: String { rawValue.replacing("_", with: " ") }
}

/// The thing that numbers of a purpose stand for, in the public's words: a device is one for a day, a visit ends when its
/// code changes, and where nothing tells devices apart, only actions are counted.
package enum LabelUnit: String, Sendable, Hashable, CaseIterable {
    case device, visit, action

    init(_ hasIdentifiers: Bool, _ rotation: Rotation) {
        self = !hasIdentifiers ? .action : rotation == .longest ? .device : .visit
    }

    var many: String { rawValue + "s" }

    /// Returns the word by which messages choose for several units: `device_visit`.
    static func word(for units: Set<LabelUnit>) -> String {
        units.isEmpty ? action.rawValue : allCases.filter(units.contains).map(\.rawValue).joined(separator: "_")
    }
}

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
