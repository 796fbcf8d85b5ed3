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
        var view: TemplateView = ["css": css, "root": root, "coarsening": label.coarsening]
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
        view["hasDimensions"] = !label.dimensions.isEmpty
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
        func tile(_ number: String, _ unit: String, _ sentence: String) -> TemplateView {
            ["tileNumber": number, "tileUnit": unit, "tileSentence": sentence]
        }
        // "15 minutes" as a number and its unit.
        func longest(_ seconds: [Int64], _ sentence: String) -> TemplateView? {
            let parts = seconds.max().map { Duration.seconds($0).planText.split(separator: " ").map(String.init) } ?? []
            return parts.count == 2 ? tile(parts[0], parts[1], sentence) : nil
        }
        let rotations = label.purposes.filter(\.hasIdentifiers).map(\.rotationSeconds)
        let tiles: [TemplateView?] = [
            tile("\(label.threshold)", "\(label.units) or more", "stand behind every published number."),
            tile("0", "names or addresses kept", "No list of what one person did."),
            longest(rotations, "at most, then your device counts as another one.")
                ?? tile("0", "codes sent", "Nothing is sent by which devices could be told apart."),
            longest(label.purposes.map(\.retentionSeconds), "at most, then published numbers are deleted."),
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
                "appSentence":
                    "\(label.threshold) \(label.units) or more stand behind every number. Questions: \(label.contact)",
            ]
        }
        return ["css": css, "apps": apps]
    }
}
