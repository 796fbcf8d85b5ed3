package import ThrongPlan

/// Everything that the label's template shows.
enum LabelView {
    struct TopicView {
        let topic: String
        var texts: [String]
    }

    /// The number of buckets that are shown before the rest is folded away.
    private static let shownBuckets = 24

    static func of(_ label: PrivacyLabel, root: String, trial: LabelTrial?, css: String) -> TemplateView {
        let language = label.language
        var view: TemplateView = [
            "css": css, "root": root, "coarsening": label.coarsening, "say": language.words,
            "pageLanguage": language.tag.attributes,
        ]
        view["app"] = label.app.text
        view["appTitle"] = label.appTitle
        view["appTitleLanguage"] = label.appLanguage.attributes
        view["labelTitle"] = label.title
        view["lede"] = label.lede
        view["promises"] = label.promises
        view["rights"] = label.rights
        let names = ["stepSays", "stepCoarse", "stepCounts", "stepShown"]
        for (name, step) in zip(names, label.steps) { view[name] = step }
        view["questions"] = language.say(.questions, ["contact": label.contact])
        view["plan"] = language.say(.labelPlan, ["plan": label.plan, "timeZone": label.timeZone])
        view["tiles"] = Self.tiles(of: label)
        view["purposes"] = label.purposes.enumerated().map { place, purpose -> TemplateView in
            [
                "purposeAnchor": "purpose-\(place + 1)", "purposeName": purpose.name.text,
                "purposeTitle": language.say(.labelPurpose, ["purpose": purpose.name.text]),
                "purposeExplanation": purpose.explanation, "purposeLanguage": purpose.language.attributes,
                "purposeFacts": Self.topics(of: purpose.facts),
                "metrics": purpose.metrics.map { metric -> TemplateView in
                    [
                        "metricTitle": metric.title, "metricTitleLanguage": metric.titleLanguage.attributes,
                        "metricQuestion": metric.question, "metricQuestionLanguage": metric.questionLanguage.attributes,
                        "metricFacts": Self.topics(of: metric.facts),
                    ]
                },
            ]
        }
        view["hasDimensions"] = !label.dimensions.isEmpty
        view["dimensions"] = label.dimensions.map { dimension -> TemplateView in
            let isLong = dimension.buckets.count > Self.shownBuckets + 1
            let shown = isLong ? Self.shownBuckets : dimension.buckets.count
            let rest = Array(dimension.buckets.dropFirst(shown))
            let more: [TemplateView] =
                isLong ? [["more": language.say(.labelMore, ["count": rest.count]), "rest": rest]] : []
            return [
                "dimensionTitle": dimension.title, "dimensionLanguage": dimension.language.attributes,
                "dimensionSource": dimension.source, "buckets": Array(dimension.buckets.prefix(shown)),
                "moreBuckets": more, "unlisted": dimension.buckets.isEmpty ? [dimension.summary] : [],
            ]
        }
        view["recipients"] = label.recipients.map { recipient -> TemplateView in
            [
                "recipientTitle": recipient.title, "hasInsights": !recipient.insights.isEmpty,
                "insights": recipient.spokenInsights.map {
                    ["insightTitle": $0.title, "insightLanguage": $0.language.attributes] as TemplateView
                },
            ]
        }
        view["trials"] = [trial].compactMap { $0 }.map { Self.view(of: $0, in: language) }
        view["events"] = label.events.map { ["eventName": $0, "isChosen": $0 == trial?.event] as TemplateView }
        view["fields"] = label.fields.enumerated().map { place, field -> TemplateView in
            let uses = field.uses.joined(separator: language.say(.comma))
            return [
                "fieldID": "field-\(place + 1)", "fieldName": field.name, "fieldValue": trial?.values[field.name] ?? "",
                "hints": [field.isUserAgent ? language.say(.labelHint, ["uses": uses]) : uses],
            ]
        }
        return view
    }

    private static func tiles(of label: PrivacyLabel) -> [TemplateView] {
        func tile(_ number: String, _ unit: String, _ sentence: String) -> TemplateView {
            ["tileNumber": number, "tileUnit": unit, "tileSentence": sentence]
        }
        let language = label.language
        func longest(_ seconds: [Int64], _ sentence: Message) -> TemplateView? {
            seconds.max().map { seconds in
                let (unit, count) = language.unit(seconds: seconds)
                let word = language.say(.labelTimeUnit, ["unit": unit.rawValue, "count": count])
                return tile(language.written("\(count)"), word, language.say(sentence))
            }
        }
        let rotations = label.purposes.filter(\.hasIdentifiers).map(\.rotationSeconds)
        let tiles: [TemplateView?] = [
            tile(
                language.written("\(label.threshold)"), language.say(.labelOrMore, ["units": label.units]),
                language.say(.labelStandBehind)),
            tile(language.digits("0"), language.say(.labelNoNames), language.say(.labelNoList)),
            longest(rotations, .labelThenAnother)
                ?? tile(language.digits("0"), language.say(.labelNoCodes), language.say(.labelNoCodesWhy)),
            longest(label.purposes.map(\.retentionSeconds), .labelThenDeleted),
        ]
        return tiles.compactMap { $0 }
    }

    private static func topics(of facts: [PrivacyLabel.Fact]) -> [TopicView] {
        var topics: [TopicView] = []
        for fact in facts {
            if topics.last?.topic == fact.topic {
                topics[topics.count - 1].texts.append(fact.text)
            } else {
                topics.append(TopicView(topic: fact.topic, texts: [fact.text]))
            }
        }
        return topics
    }

    private static func view(of trial: LabelTrial, in language: Language) -> TemplateView {
        [
            "trialTitle": language.say(.labelTrial, ["event": trial.event]),
            "outcomes": trial.outcomes.map { outcome -> TemplateView in
                [
                    "outcomeTitle": outcome.title, "outcomeText": outcome.text,
                    "hasRemains": !outcome.remains.isEmpty, "remains": outcome.remains,
                ]
            },
        ]
    }
}

/// The view of the page over several apps.
enum LabelIndexView {
    static func of(_ labels: [PrivacyLabel], css: String) -> TemplateView {
        let language = labels.first?.language ?? .english
        let apps = labels.map { label -> TemplateView in
            [
                "app": label.app.text, "appTitle": label.appTitle, "appLanguage": label.appLanguage.attributes,
                "appSentence": language.say(
                    .labelIndexApp,
                    [
                        "threshold": language.written("\(label.threshold)"), "units": label.units,
                        "contact": label.contact,
                    ]),
            ]
        }
        return ["css": css, "apps": apps, "say": language.words, "pageLanguage": language.tag.attributes]
    }
}

/// A page that tells visitors what is counted: self-contained, without script, well-formed XML, everything escaped.
package struct LabelPage: Sendable, Hashable {
    package let html: String
    /// The text of its one style element, for a policy that names it by its hash.
    package let style: String

    /// The page that leads to those of several apps: `apps/APP`.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package static func index(of labels: [PrivacyLabel]) throws(ReportError) -> LabelPage {
        try PageTemplates.shared.get().index(of: labels)
    }
}

/// An event that somebody made up on a label's page, and all that would remain of it.
package struct LabelTrial: Sendable, Hashable {
    package let event: String
    /// The values that were written into the form, by field.
    package let values: [String: String]
    package let outcomes: [Outcome]

    /// The outcome of the event in one metric, or in none of a purpose.
    package struct Outcome: Sendable, Hashable {
        package let title: String
        package let text: String
        package let remains: [Remain]

        package init(title: String, text: String, remains: [Remain]) {
            (self.title, self.text, self.remains) = (title, text, remains)
        }
    }

    package struct Remain: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package init(event: String, values: [String: String], outcomes: [Outcome]) {
        (self.event, self.values, self.outcomes) = (event, values, outcomes)
    }
}

extension PrivacyLabel {
    /// The label as a page.
    ///
    /// - Parameters:
    ///   - root: the way from the page to the daemon's root: "" or "../".
    ///   - trial: what somebody tried, if they did.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func page(root: String, trial: LabelTrial? = nil) throws(ReportError) -> LabelPage {
        try PageTemplates.shared.get().page(of: self, root: root, trial: trial)
    }
}
