internal import ThrongPlan

/// Everything that the label's template shows; names are unique over all views, because a template that misses a name
/// in an inner view looks it up in the outer ones.
struct LabelView {
    let css: String
    let root: String
    let app: String
    let appTitle: String
    let appTitleLanguage: String
    let labelTitle: String
    let lede: String
    let tiles: [Tile]
    let promises: [String]
    let purposes: [PurposeView]
    let coarsening = PrivacyLabel.coarsening
    let dimensions: [DimensionView]
    let recipients: [RecipientView]
    let trials: [TrialView]
    let events: [EventView]
    let fields: [FieldView]
    let contact: String
    let plan: String
    let timeZone: String

    struct Tile {
        let tileNumber: String
        let tileUnit: String
        let tileSentence: String
    }

    struct PurposeView {
        let purposeAnchor: String
        let purposeName: String
        let purposeExplanation: String
        let purposeLanguage: String
        let purposeFacts: [TopicView]
        let metrics: [MetricView]
    }

    struct MetricView {
        let metricTitle: String
        let metricTitleLanguage: String
        let metricQuestion: String
        let metricQuestionLanguage: String
        let metricFacts: [TopicView]
    }

    /// The texts about one topic.
    struct TopicView {
        let topic: String
        var texts: [String]
    }

    struct DimensionView {
        let dimensionTitle: String
        let dimensionLanguage: String
        let dimensionSource: String
        let buckets: [String]
        let moreBuckets: [MoreView]
        let unlisted: [String]
    }

    struct MoreView {
        let moreCount: Int
        let rest: [String]
    }

    struct RecipientView {
        let recipientTitle: String
        let hasInsights: Bool
        let insights: [InsightView]
    }

    struct InsightView {
        let insightTitle: String
        let insightLanguage: String
    }

    struct TrialView {
        let trialTitle: String
        let outcomes: [OutcomeView]
    }

    struct OutcomeView {
        let outcomeTitle: String
        let outcomeText: String
        let hasRemains: Bool
        let remains: [LabelTrial.Remain]
    }

    struct EventView {
        let eventName: String
        let isChosen: Bool
    }

    struct FieldView {
        let fieldID: String
        let fieldName: String
        let fieldValue: String
        let hints: [String]
    }

    /// The number of buckets that are shown before the rest is folded away.
    private static let shownBuckets = 24

    init(_ label: PrivacyLabel, root: String, trial: LabelTrial?, css: String) {
        self.css = css
        self.root = root
        app = label.app.text
        appTitle = label.appTitle
        appTitleLanguage = label.appLanguage.attributes
        labelTitle = label.title
        lede = label.lede
        promises = label.promises
        contact = label.contact
        plan = label.plan
        timeZone = label.timeZone
        tiles = Self.tiles(of: label)
        purposes = label.purposes.enumerated().map { place, purpose in
            PurposeView(
                purposeAnchor: "purpose-\(place + 1)", purposeName: purpose.name.text,
                purposeExplanation: purpose.explanation, purposeLanguage: purpose.language.attributes,
                purposeFacts: Self.topics(of: purpose.facts),
                metrics: purpose.metrics.map {
                    MetricView(
                        metricTitle: $0.title, metricTitleLanguage: $0.titleLanguage.attributes,
                        metricQuestion: $0.question, metricQuestionLanguage: $0.questionLanguage.attributes,
                        metricFacts: Self.topics(of: $0.facts))
                })
        }
        dimensions = label.dimensions.map { dimension in
            let isLong = dimension.buckets.count > Self.shownBuckets + 1
            let shown = isLong ? Self.shownBuckets : dimension.buckets.count
            let rest = Array(dimension.buckets.dropFirst(shown))
            return DimensionView(
                dimensionTitle: dimension.title, dimensionLanguage: dimension.language.attributes,
                dimensionSource: dimension.source,
                buckets: Array(dimension.buckets.prefix(shown)),
                moreBuckets: isLong ? [MoreView(moreCount: rest.count, rest: rest)] : [],
                unlisted: dimension.buckets.isEmpty ? [dimension.summary] : [])
        }
        recipients = label.recipients.map {
            RecipientView(
                recipientTitle: $0.title, hasInsights: !$0.insights.isEmpty,
                insights: $0.spokenInsights.map {
                    InsightView(insightTitle: $0.title, insightLanguage: $0.language.attributes)
                })
        }
        trials = trial.map { [Self.view(of: $0)] } ?? []
        events = label.events.map { EventView(eventName: $0, isChosen: $0 == trial?.event) }
        fields = label.fields.enumerated().map { place, field in
            let uses = field.uses.joined(separator: ", ")
            return FieldView(
                fieldID: "field-\(place + 1)", fieldName: field.name, fieldValue: trial?.values[field.name] ?? "",
                hints: [field.isUserAgent ? "\(uses); empty takes what your browser says of itself" : uses])
        }
    }

    private static func tiles(of label: PrivacyLabel) -> [Tile] {
        let showing = label.purposes.filter(\.hasIdentifiers)
        let events =
            showing.isEmpty || showing.count == label.purposes.count
            ? "" : ", or as many events where devices can\u{2019}t be told apart"
        var tiles = [
            Tile(
                tileNumber: String(label.threshold), tileUnit: showing.isEmpty ? "events or more" : "devices or more",
                tileSentence: "stand behind every published number\(events): k\u{a0}=\u{a0}\(label.threshold)."),
            Tile(
                tileNumber: "0", tileUnit: "identifiers kept",
                tileSentence: "No name, no address, no record of what one person did."),
        ]
        if let longest = showing.max(by: { $0.rotationSeconds < $1.rotationSeconds }) {
            let (number, unit) = parts(of: longest.rotation)
            tiles.append(
                Tile(
                    tileNumber: number, tileUnit: unit,
                    tileSentence: "at most, then a device shows another random identifier."))
        } else {
            tiles.append(
                Tile(
                    tileNumber: "0", tileUnit: "identifiers shown",
                    tileSentence: "A device sends values, and nothing by which it could be told apart."))
        }
        if let longest = label.purposes.max(by: { $0.retentionSeconds < $1.retentionSeconds }) {
            let (number, unit) = parts(of: longest.retention)
            tiles.append(
                Tile(tileNumber: number, tileUnit: unit, tileSentence: "at most, then published numbers are deleted."))
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

    private static func view(of trial: LabelTrial) -> TrialView {
        TrialView(
            trialTitle: "All that would remain of \(trial.event)",
            outcomes: trial.outcomes.map {
                OutcomeView(
                    outcomeTitle: $0.title, outcomeText: $0.text, hasRemains: !$0.remains.isEmpty, remains: $0.remains)
            })
    }
}

/// The view of the page over several apps.
struct LabelIndexView {
    let css: String
    let apps: [AppView]

    struct AppView {
        let app: String
        let appTitle: String
        let appLanguage: String
        let appSentence: String
    }

    init(_ labels: [PrivacyLabel], css: String) {
        self.css = css
        apps = labels.map {
            AppView(
                app: $0.app.text, appTitle: $0.appTitle, appLanguage: $0.appLanguage.attributes,
                appSentence: "k = \($0.threshold). Questions: \($0.contact)")
        }
    }
}
