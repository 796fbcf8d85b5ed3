extension PlanDraft {
    /// The plan's text.
    ///
    /// - Parameter schema: the address of `plan.schema.json` for editors, seen from where the plan lies.
    package func yaml(schema: String) -> String {
        let parts = [
            head(schema), app, purposes, dimensions.isEmpty ? [] : dimensionLines, metricLines, insightLines,
            reportLines,
        ]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// A text of somebody else as YAML.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The lines of a text in the place of a value.
    private static func indented(_ text: String) -> [String] { text.split(separator: "\n").map { "    \($0)" } }

    // MARK: Sections

    private func head(_ schema: String) -> [String] {
        [
            "# yaml-language-server: $schema=\(schema)", "#",
            "# Everything that is counted stands here, and nothing else ever is. Lines with EDIT hold examples: put yours in",
            "# their place. `throng plan check FILE` says what is wrong, and how far off numbers will be.",
        ]
            + leftOut.map {
                "# Left out: \($0.topic.question.text(.english)) From \(PlanNumber.text($0.audience)) devices a day on it can be shown."
            }
    }

    private var app: [String] {
        [
            "app:", "  name: \(name)", "  title: \(Self.quoted(title))",
            "  owner: Our team             # EDIT: who answers for this plan",
            "  contact: privacy@example.com    # EDIT: whom the public may ask",
            "  audience: \(audience)              # devices a day, roughly; advice weighs the plan against it",
            "  threshold: \(Self.threshold)               # k: a number stands for at least so many devices, and is off by some on purpose",
            "  time_zone: UTC              # where days begin; identifiers follow UTC, so another zone shows less",
            "  grace: \(grace.rawValue) hours             # \(grace.reason)",
        ]
    }

    private var purposes: [String] {
        ["# Why it is counted, in words for the people who are counted.", "purposes:", "  product:"]
            + PlanPhrase.lines("explanation", indent: 4, [PlanPhrase(.draftPurpose)], languages) + [
                "    consent: not_required     # EDIT: `required` where your law or your users want to be asked",
                "    refused_by: [global_privacy_control, do_not_track]",
                "    rotation: 1 day           # how long a device keeps its random identifier; k is compared with a day's devices",
                "    retention: 400 days       # how long published numbers are kept",
            ]
    }

    private var dimensionLines: [String] {
        ["# How coarsely it is counted. What a list does not have counts as `other`.", "dimensions:"]
            + dimensions.flatMap { dimension in
                ["  \(dimension.name):", "    title: \(dimension.title.value(languages))"]
                    + Self.indented(dimension.text)
            }
    }

    // MARK: Metrics

    private var metricLines: [String] {
        ["metrics:"] + visitLines + others.flatMap { lines(of: $0.metric, answering: $0.topic) }
    }

    /// The visits, which every draft counts: the first number that anybody wants.
    private var visitLines: [String] {
        let asked = topics.filter { topic in topic.dimensions(self).contains { fits($0.parts) } }
        let own = PlanPhrase(.draftQuestion, ["topic": "visits"])
        let decision = (asked.map(\.decision) + (asked.isEmpty ? ["Whether it is worth its while."] : []))
        let sender =
            switch client {
            case .web: "throng.js sends it by data-view"
            case .app: "record it when the app comes to the front"
            case .both: "throng.js sends the first by data-view; apps record the other"
            }
        var lines =
            ["  visits:", "    title: \(PlanPhrase(titled: "visits").value(languages))"] + [
                "    events: [\(visitEvents.joined(separator: ", "))]    # \(sender)"
            ]
        lines += PlanPhrase.lines("question", indent: 4, [own] + asked.map(\.question), languages)
        lines += ending(decision.joined(separator: " "))
        if !splits.isEmpty { lines.append("    dimensions: [\(splits.map(\.name).joined(separator: ", "))]") }
        lines += ["    period: day", "    measures: {reach: true}   # devices, too"]
        if splits.count > 1 {
            let margins = splits.map { "[\($0.name)]" }.joined(separator: ", ")
            lines.append("    margins: [\(margins)]    # each by itself; a combination of two shows less")
        }
        return lines
    }

    private func lines(of metric: DraftMetric, answering topic: PlanTopic) -> [String] {
        ["  \(metric.name):", "    title: \(metric.title.value(languages))"]
            + (metric.hasNoun == true
                ? ["    noun: {one: \(noun("one")), many: \(noun("many"))}    # as reports say it"] : [])
            + ["    events: [\(metric.events.joined(separator: ", "))]    # \(metric.remark)"]
            + PlanPhrase.lines("question", indent: 4, [topic.question], languages) + ending(topic.decision)
            + (metric.dimension.map { ["    dimensions: [\($0)]"] } ?? []) + ["    period: \(metric.period)"]
            + Self.indented(metric.measures)
    }

    private func noun(_ form: String) -> String { PlanPhrase(titled: form).value(languages) }

    /// The lines of every metric about who wants it, and until when.
    private func ending(_ decision: String) -> [String] {
        [
            "    decision: \(decision)    # EDIT", "    owner: Our team",
            "    expires: \(today.adding(days: 364))       # the first day on which it counts no more; at most a year ahead",
            "    purpose: product",
        ]
    }

    // MARK: Insights and reports

    private var shownInsights: [(name: String, title: String, metric: String, body: String, period: String)] {
        func title(_ name: String) -> String { PlanPhrase(titled: name).value(languages) }
        let total = [("visitors", title("visitors"), "visits", "kind: reach, trend: 14", "day")]
        let split = splits.map { dimension in
            let many = dimension.parts > 12 || dimension.name == "page" ? ", top: 10" : ""
            let top = dimension.name == "hour" ? "" : many
            let title = PlanPhrase.value(languages) { language in
                let devices = language.say(.headDevices, ["isSample": false])
                return language.say(.exploreBy, ["title": devices, "groups": dimension.title.text(language)])
            }
            return ("by_\(dimension.name)", title, "visits", "kind: reach, by: [\(dimension.name)]\(top)", "day")
        }
        let other = others.flatMap { other in
            other.metric.insights.map { ($0.name, title($0.name), other.metric.name, $0.body, other.metric.period) }
        }
        return total + split + other
    }

    private var insightLines: [String] {
        guard partner != nil else { return [] }
        return ["insights:"]
            + shownInsights.map { insight in
                "  \(insight.name): {title: \(insight.title), metric: \(insight.metric), \(insight.body)}"
            }
    }

    private var reportLines: [String] {
        guard let partner else {
            return [
                "# Nobody gets a report. Analysts see released numbers by SQL and on their page; `throng plan new --partner NAME`",
                "# shows how a report is written.",
            ]
        }
        let daily = shownInsights.filter { $0.period == "day" }.map(\.name)
        let weekly = shownInsights.filter { $0.period == "week" }.map(\.name)
        var lines = [
            "partners:",
            "  partner: {title: \(Self.quoted(partner)), contact: partner@example.com}    # EDIT: the address", "",
            "reports:",
        ]
        lines += report("daily", daily, "day", "0 6 * * *", "the newest day that is over, with its grace")
        if !weekly.isEmpty {
            lines += report(
                "weekly", weekly, "week", "0 6 * * \(grace.weekday)", "a week ends on Sunday, and waits for its grace")
        }
        return lines
    }

    private func report(_ name: String, _ insights: [String], _ period: String, _ schedule: String, _ remark: String)
        -> [String]
    {
        [
            "  \(name):", "    title: \(PlanPhrase(titled: name).value(languages))", "    partner: partner",
            "    insights: [\(insights.joined(separator: ", "))]", "    period: \(period)",
            "    schedule: \(schedule)       # \(remark)", "    language: \(languages[0].tag)",
            "    deliver: [{folder: reports/partner}]    # in the data directory; {put: URL} sends it",
        ]
    }

    /// Lines to put into a client so that it is counted.
    package struct Snippet: Sendable, Hashable {
        /// The place where it goes, such as "In each page".
        package let place: String
        package let lines: [String]
    }

    /// The daemon's address if nobody says otherwise.
    private static let server = "http://127.0.0.1:8080"

    /// The snippets of its clients, then one that anybody can try by hand.
    package var snippets: [Snippet] { (client == .app ? [] : [page]) + (client == .web ? [] : [code]) + [hand] }

    private var page: Snippet {
        var lines = [
            "<script defer src=\"\(Self.server)/throng.js\" data-app=\"\(name)\" data-view=\"page_view\"></script>"
        ]
        for (_, metric) in others where metric.fields != nil {
            let hasAmount = metric.fields?.isEmpty == false
            for event in metric.events {
                let field = hasAmount ? " data-throng-amount=\"24.90\"" : ""
                lines.append("<button data-throng-event=\"\(event)\"\(field)>…</button>")
                guard hasAmount else { continue }
                lines.append("<!-- if people type it: throng.record(\"\(event)\", { amount: input.value }) -->")
            }
        }
        return Snippet(place: "In each page", lines: lines)
    }

    private var code: Snippet {
        let sent: Set = ["page", "source"]
        let context = dimensions.filter { !sent.contains($0.name) }.compactMap(\.example).map {
            "\"\($0.field)\": \"\($0.value)\""
        }
        var lines = [
            "import ThrongClient", "",
            "let throng = try await Throng(plan: url, storage: directory)    // url: \(Self.server)/v1/plan/\(name)",
        ]
        if !context.isEmpty { lines.append("await throng.setContext([\(context.joined(separator: ", "))])") }
        lines.append("throng.record(\"app_opened\")")
        for (_, metric) in others {
            guard let fields = metric.fields else { continue }
            for event in metric.events {
                lines.append("throng.record(\"\(event)\"\(fields.isEmpty ? "" : ", [\(fields)]"))")
            }
        }
        return Snippet(place: "In the app, by the Swift SDK (Java, Kotlin, Python: Deploy/clients)", lines: lines)
    }

    private var hand: Snippet {
        let context = dimensions.compactMap(\.example).map { "\"\($0.field)\": \"\($0.value)\"" }
        var events = visitEvents.map { "{\"event\": \"\($0)\", \"at\": \"$now\"}" }
        for (_, metric) in others {
            guard let fields = metric.fields, let event = metric.events.first else { continue }
            events.append(
                "{\"event\": \"\(event)\", \"at\": \"$now\"\(fields.isEmpty ? "" : ", \"fields\": {\(fields)}")}")
        }
        return Snippet(
            place: "By hand",
            lines: [
                "now=$(date -u +%FT%TZ); window=$(( $(date +%s) / 86400 ))    # an identifier's window is a day",
                "curl -sS \(Self.server)/v1/batches --data @- <<JSON",
                "{\"app\": \"\(name)\", \"purpose\": \"product\", \"window\": $window,",
                " \"id\": \"$(openssl rand -hex 16)\", \"batch\": \"$(openssl rand -hex 16)\",",
                " \"context\": {\(context.joined(separator: ", "))},",
                " \"events\": [\(events.joined(separator: ",\n            "))]}", "JSON",
            ])
    }
}
