import Testing

@Suite("Nothing that the daemon does again and again can fail in silence")
struct RoundRuleTests {
    @Test("every loop that lasts until the stop makes a round, and says what became of it")
    func loops() throws {
        let loops = try House.sources.map { ($0.path, try House.text($0.path)) }.filter {
            // A trial's page is nobody's daemon: it shows itself what it can't do.
            $0.1.contains("while !Task.isShuttingDownGracefully") && !$0.0.contains("/Tryout/")
        }
        #expect(loops.count > 6)
        for (path, text) in loops {
            #expect(
                text.contains(/(health|rounds)\.(make|ended|failed)\(/),
                "\(path) has a loop whose rounds may fail unseen; use PeriodicTask, or RoundHealth")
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
}
