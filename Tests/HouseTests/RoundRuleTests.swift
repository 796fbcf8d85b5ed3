import Foundation
import Testing

@Suite("Nothing that the daemon does again and again can fail in silence")
struct RoundRuleTests {
    @Test("every loop that lasts until the stop makes a round, and says what became of it")
    func loops() throws {
        let loops = try House.sources.map { ($0.path, try House.text($0.path)) }.filter {
            // A trial's page is nobody's daemon: it shows itself what it can't do.
            $0.1.contains("while !Task.isShuttingDownGracefully") && !$0.0.contains("/Tryout/")
        }
        #expect(loops.count > 5)
        for (path, text) in loops {
            #expect(
                text.contains(/(health|rounds)\.(make|ended|failed)\(/),
                "\(path) has a loop whose rounds may fail unseen; use PeriodicTask, or RoundHealth")
            #expect(text.contains(/(health|rounds)\.expect\(/), "\(path) has a loop that nobody misses")
        }
    }

    @Test("each round that every daemon makes is missed by a rule of its own where its gauge is gone")
    func alerts() throws {
        let rules = try House.text("Deploy/grafana/alerts.yaml")
        let rounds = [
            "flush", "tidying", "schedule", "releases", "reports", "deliveries", "retention", "age", "backups",
        ]
        #expect(rules.contains("round=~\"\(rounds.joined(separator: "|"))\"}) < \(rounds.count)"))
        let known = try House.text("Sources/ThrongSchedule/Delivery/Rounds/Round.swift")
        for round in rounds { #expect(known.contains("case \(round)\n"), "there is no round \(round)") }
    }

    @Test("what calls for a person is a rule, and a rule whose figure is gone is missed by another")
    func figures() throws {
        func names(_ text: some StringProtocol) -> Set<String> {
            Set(String(text).matches(of: /throng_[a-z_]+/).map { String($0.output) })
        }
        let rules = try House.text("Deploy/grafana/alerts.yaml").split(separator: "- alert: ").dropFirst().map { rule in
            let end = try #require(rule.firstRange(of: "labels:")).lowerBound
            return (name: rule.prefix { $0 != "\n" }, figures: names(rule[..<end]))
        }
        let missed = rules.filter { $0.name.hasSuffix("Untold") }.reduce(into: Set()) { $0.formUnion($1.figures) }
        for rule in rules {
            #expect(rule.figures.subtracting(missed) == [], "\(rule.name) is silent where its figure is gone")
        }
        let told = rules.reduce(into: Set()) { $0.formUnion($1.figures) }
        for line in try House.text("Sources/Throng.docc/Watching.md").split(separator: "\n") {
            let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard columns.count == 3, columns[2].contains(/^(any|rises|[01] )/) else { continue }
            #expect(!told.isDisjoint(with: names(columns[0])), "no rule looks at \(columns[0])")
        }
    }

    @Test("each figure of /metrics has one line in Figures.txt, and each line its figure")
    func catalogue() throws {
        let lines = try House.text("Sources/ThrongServer/Telemetry/Figures.txt").split(separator: "\n")
        let told = lines.filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != " " }) }
        let source = try House.text("Sources/ThrongServer/Telemetry/Telemetry+Exposition.swift")
        #expect(told.sorted() == Set(source.matches(of: /"(throng_[a-z_]+)"/).map { String($0.output.1) }).sorted())
        #expect(told.count > 40)
    }
}
