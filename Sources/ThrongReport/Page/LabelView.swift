internal import ThrongPlan

/// Everything that the label's template shows.
enum LabelView {
    struct TopicView {
        let topic: String
        var texts: [String]
    }

    /// The number of buckets that are shown before the rest is folded away.
    private static let shownBuckets = 24

    static func of(_ label: PrivacyLabel, root: String, trial: LabelTrial?, css: String) -> TemplateView {
        var view: TemplateView = ["css": css, "root": root, "coarsening": PrivacyLabel.coarsening]
        view["app"] = label.app.text
        view["appTitle"] = label.appTitle
        view["appTitleLanguage"] = label.appLanguage.attributes
        view["labelTitle"] = label.title
        view["lede"] = label.lede
        view["promises"] = label.promises
        view["contact"] = label.contact
        view["plan"] = label.plan
        view["timeZone"] = label.timeZone
        view["tiles"] = Self.tiles(of: label)
        view["purposes"] = label.purposes.enumerated().map { place, purpose -> TemplateView in
            [
                "purposeAnchor": "purpose-\(place + 1)", "purposeName": purpose.name.text,
                "purposeExplanation": purpose.explanation, "purposeLanguage": purpose.language.attributes,
                "purposeFacts": Self.topics(of: purpose.facts),
                "metrics": purpose.metrics.map { metric -> TemplateView in
                    [
                        "metricTitle": metric.title, "metricTitleLanguage": metric.titleLanguage.attributes,
                        "metricQuestion": metric.question,
                        "metricQuestionLanguage": metric.questionLanguage.attributes,
                        "metricFacts": Self.topics(of: metric.facts),
                    ]
                },
            ]
        }
        view["dimensions"] = label.dimensions.map { dimension -> TemplateView in
            let isLong = dimension.buckets.count > Self.shownBuckets + 1
            let shown = isLong ? Self.shownBuckets : dimension.buckets.count
            let rest = Array(dimension.buckets.dropFirst(shown))
            let more: [TemplateView] = isLong ? [["moreCount": rest.count, "rest": rest]] : []
            return [
                "dimensionTitle": dimension.title, "dimensionLanguage": dimension.language.attributes,
                "dimensionSource": dimension.source,
                "buckets": Array(dimension.buckets.prefix(shown)),
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
        view["trials"] = [trial].compactMap { $0 }.map(Self.view)
        view["events"] = label.events.map { ["eventName": $0, "isChosen": $0 == trial?.event] as TemplateView }
        view["fields"] = label.fields.enumerated().map { place, field -> TemplateView in
            let uses = field.uses.joined(separator: ", ")
            return [
                "fieldID": "field-\(place + 1)", "fieldName": field.name, "fieldValue": trial?.values[field.name] ?? "",
                "hints": [field.isUserAgent ? "\(uses); empty takes what your browser says of itself" : uses],
            ]
        }
        return view
    }

    private static func tiles(of label: PrivacyLabel) -> [TemplateView] {
        let showing = label.purposes.filter(\.hasIdentifiers)
        let events =
            showing.isEmpty || showing.count == label.purposes.count
            ? "" : ", or as many events where devices can\u{2019}t be told apart"
        var tiles: [TemplateView] = [
            [
                "tileNumber": String(label.threshold),
                "tileUnit": showing.isEmpty ? "events or more" : "devices or more",
                "tileSentence": "stand behind every published number\(events): k\u{a0}=\u{a0}\(label.threshold).",
            ],
            [
                "tileNumber": "0", "tileUnit": "identifiers kept",
                "tileSentence": "No name, no address, no record of what one person did.",
            ],
        ]
        if let longest = showing.max(by: { $0.rotationSeconds < $1.rotationSeconds }) {
            let (number, unit) = parts(of: longest.rotation)
            tiles.append(
                [
                    "tileNumber": number, "tileUnit": unit,
                    "tileSentence": "at most, then a device shows another random identifier.",
                ])
        } else {
            tiles.append(
                [
                    "tileNumber": "0", "tileUnit": "identifiers shown",
                    "tileSentence": "A device sends values, and nothing by which it could be told apart.",
                ])
        }
        if let longest = label.purposes.max(by: { $0.retentionSeconds < $1.retentionSeconds }) {
            let (number, unit) = parts(of: longest.retention)
            tiles.append(
                [
                    "tileNumber": number, "tileUnit": unit,
                    "tileSentence": "at most, then published numbers are deleted.",
                ])
        }
        return tiles
    }

    /// "15 minutes" as a number and its unit.
    private static func parts(of duration: String) -> (String, String) {
        let parts = duration.split(separator: " ", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.dropFirst().first ?? "")
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

    private static func view(of trial: LabelTrial) -> TemplateView {
        [
            "trialTitle": "All that would remain of \(trial.event)",
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
        let apps = labels.map { label -> TemplateView in
            [
                "app": label.app.text, "appTitle": label.appTitle, "appLanguage": label.appLanguage.attributes,
                "appSentence": "k = \(label.threshold). Questions: \(label.contact)",
            ]
        }
        return ["css": css, "apps": apps]
    }
}
