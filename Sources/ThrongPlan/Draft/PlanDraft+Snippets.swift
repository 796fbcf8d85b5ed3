extension PlanDraft {
    /// Lines to put into a client so that it is counted.
    package struct Snippet: Sendable, Hashable {
        /// The place where it goes, such as "In each page".
        package let place: String
        package let lines: [String]
    }

    /// The daemon's address if nobody says otherwise.
    private static let server = "http://127.0.0.1:8080"

    /// The snippets of its clients, then one that anybody can try by hand.
    package var snippets: [Snippet] {
        (client == .app ? [] : [page]) + (client == .web ? [] : [app]) + [hand]
    }

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

    private var app: Snippet {
        let sent: Set = ["page", "source"]
        let context = dimensions.filter { !sent.contains($0.name) }.compactMap(\.example)
            .map { "\"\($0.field)\": \"\($0.value)\"" }
        var lines = [
            "import ThrongClient",
            "",
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
                " \"events\": [\(events.joined(separator: ",\n            "))]}",
                "JSON",
            ])
    }
}
