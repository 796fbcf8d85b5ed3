import TestCluster
import Testing

@testable import ThrongStore

/// What Citus refuses was found by asking it, with version 13.2: see `Deploy/trial citus`.
@Suite("Whatever is said to the counters can be said to a cluster of Citus, too")
struct DistributedStatementTests {
    @Test("every query of the program")
    func queries() throws {
        let files = try QueryFile.all()
        let aboutCounters = files.filter { !CounterStatement(of: $0.body).counters.isEmpty }
        #expect(aboutCounters.count > 15)
        for file in aboutCounters {
            let faults = CounterStatement.all(in: file.body).flatMap(\.faults)
            #expect(faults.isEmpty, "\(file.name): \(faults.joined(separator: "; "))")
        }
    }

    @Test("every function of the schema, as it is after all migrations")
    func functions() async throws {
        let owner = Connection(try await TestCluster.database())
        let bodies = try await owner.texts(
            "select prosrc from pg_proc where pronamespace = 'throng'::regnamespace and prosrc <> '' order by proname")
        let aboutCounters = bodies.filter { !CounterStatement(of: $0).counters.isEmpty }
        #expect(aboutCounters.count >= 6)
        for body in aboutCounters {
            let faults = CounterStatement.all(in: body).flatMap(\.faults)
            #expect(faults.isEmpty, "\(body): \(faults.joined(separator: "; "))")
        }
    }

    @Test(
        "what Citus refused before is found",
        arguments: [
            """
            insert into throng.watermark as known (shard, daemon) values ($1, $2)
            on conflict (shard, daemon) do update set attached_at = now() where known.fence = $3
            """,
            "delete from throng.distinct_count as known where not exists (select from throng.open_period as open)",
            "update throng.watermark set claim = 1 from (select from throng.watermark for update skip locked) as free where shard = 1",
            "update throng.member set lost_since = (select position from throng.watermark), retired_at = clock_timestamp()",
            "update throng.watermark set position = $1 where daemon = $2",
            "select from throng.watermark for share",
            "select own where exists (select from throng.watermark where shard = 1)",
        ])
    func control(text: String) {
        #expect(!CounterStatement.all(in: text).flatMap(\.faults).isEmpty)
    }

    @Test("one PostgreSQL keeps its counters to itself", .disabled(if: TestCluster.isDistributed))
    func plain() async throws {
        let owner = Connection(try await TestCluster.database())
        let distribution = Distribution(owner)
        #expect(try await distribution.nodes() == 0)
        await #expect(throws: DistributionError.extensionMissing) { try await distribution.distribute(parts: 8) }
        #expect(try await distribution.nodes() == 0)
        #expect(try await owner.texts("select throng.hold_counters()::text") == [""])
    }
}

/// One that changes rows, or reads them, with what is in it.
private struct CounterStatement {
    /// In lower case, without comments and what stands in quotes.
    let text: String

    private static let distributed: Set = ["counter", "distinct_count", "watermark", "window_closing"]

    init(of text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }
        let parts = lines.joined(separator: "\n").split(separator: "'", omittingEmptySubsequences: false)
        self.text = stride(from: 0, to: parts.count, by: 2).map { parts[$0] }.joined(separator: "''").lowercased()
            // The coordinator asks this first and hands on what came of it.
            .replacing("array(select member.shard from throng.member)", with: "''")
    }

    /// The statements of a query or of a function's body.
    static func all(in text: String) -> [CounterStatement] {
        text.split(separator: #/;|\bthen\n|\bloop\n/#).map { CounterStatement(of: String($0)) }
    }

    /// The tables of the schema that it names.
    private func tables(in text: Substring) -> Set<String> {
        // What a parenthesis follows at once is a function.
        Set(text.matches(of: #/\bthrong\.([a-z_]+)\b(.|\n|$)/#).filter { $0.2 != "(" }.map { String($0.1) })
    }

    /// The tables with counters that it names.
    var counters: Set<String> { tables(in: text[...]).intersection(Self.distributed) }

    /// What Citus would refuse, or do on more nodes than it has to.
    var faults: [String] {
        guard !counters.isEmpty else { return [] }
        var faults: [String] = []
        let writes = text.matches(of: #/(insert into|update|delete from) throng\.([a-z_]+)/#)
        if !writes.isEmpty, ["clock_timestamp(", "random(", "_uuid(", "nextval("].contains(where: text.contains) {
            faults.append("what changes with each call can't be in it")
        }
        if let conflict = text.firstRange(of: "do update"), text[conflict.upperBound...].contains("now()") {
            faults.append("a conflict can't be resolved with the time")
        }
        if let lock = text.firstMatch(of: #/for (update|share)\b/#)?.range.lowerBound {
            let source = text[..<lock].ranges(of: "from throng.").last?.lowerBound ?? text.startIndex
            if !text[source..<lock].contains("shard = ") { faults.append("rows are locked on one node only") }
        }
        let asksNothing = #/exists\s+select\s+from throng\.(counter|distinct|watermark|window)/#
        if writes.isEmpty, text.replacing("(", with: " ").contains(asksNothing) {
            faults.append("an answer of no columns does not come from nodes")
        }
        for (place, write) in writes.enumerated() where Self.distributed.contains(String(write.2)) {
            let end = place + 1 < writes.count ? writes[place + 1].range.lowerBound : text.endIndex
            let part = text[write.range.lowerBound..<end]
            let others = tables(in: part).subtracting(Self.distributed)
            if !others.isEmpty { faults.append("nodes don't have \(others.sorted().joined(separator: ", "))") }
            if write.2 == "watermark", write.1 == "update", !part.contains(#/shard = /#) {
                faults.append("a watermark is on one node, which its shard tells")
            }
        }
        return faults
    }
}
