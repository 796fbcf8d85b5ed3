import Foundation
import Testing
import ThrongPlan
import ThrongReport
import ThrongWire

@testable import ThrongSchedule
@testable import ThrongStore

@Suite("Promise 6: what age took can be proved to somebody without the database")
struct RetentionProofTests {
    private static let now = UnixSeconds(1_795_500_000)
    private static let day: Int64 = 86_400
    private let key = ReportKey()
    private let folder = FileManager.default.temporaryDirectory.path + "/throng-proof-\(UUID().uuidString)"

    /// Five days of which each took something.
    private static let chain: [DeletionEntry] = (1...5 as ClosedRange<Int64>).reduce(into: []) { chain, place in
        let entry = DeletionEntry(
            place: place, taken: now - (6 - place) * day, app: "shop", kind: place == 3 ? "files" : "numbers",
            subject: "views", term: "after 30 days: delete", period: now - 40 * day..<now - 39 * day, rows: 7 * place,
            digest: [])
        chain.append(written(entry, after: chain.last?.digest ?? DeletionEntry.noDigest))
    }

    private static func written(_ entry: DeletionEntry, after before: [UInt8]) -> DeletionEntry {
        DeletionEntry(
            place: entry.place, taken: entry.taken, app: entry.app, kind: entry.kind, subject: entry.subject,
            term: entry.term, period: entry.period, rows: entry.rows, digest: entry.expectedDigest(after: before))
    }

    private func proof(
        _ entries: [DeletionEntry] = chain, from: UnixSeconds? = nil, to: UnixSeconds? = nil, lateBy: Int64 = -1,
        made: UnixSeconds = now
    ) -> RetentionProof {
        let leeway: Int64 = 26 * 3600
        return RetentionProof(
            of: RetentionStanding(
                entries: entries,
                due: [
                    RetentionDue(
                        app: "shop", metric: "views", term: "after 30 days: delete", at: made - leeway - lateBy,
                        releases: 3)
                ],
                promises: [KeptPromise(app: "shop", metric: "views", until: nil, steps: ["after 30 days: delete"])],
                held: [
                    HeldData(app: "*", kind: "counters", subject: "throng.counter_a", rows: nil, period: nil, due: nil)
                ]),
            from: from, to: to, made: made, key: key.publicKey.id)
    }

    private func check(
        _ proofs: [RetentionProof], after change: () throws -> Void = {}
    ) throws -> RetentionProofCheck {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for proof in proofs { try ReportFolder(path: folder).deliver(proof.files(signedWith: key)) }
        try change()
        return try RetentionProofCheck(
            of: folder, keys: ReportKeyList(keys: [.init(key: key.publicKey, from: nil, until: nil)]))
    }

    /// What is wrong with a proof whose text was changed after it was signed.
    private func faults(_ proof: RetentionProof, changing: (String) throws -> String) throws -> [String] {
        let path = folder + "/" + proof.stem + RetentionProof.documentEnding
        let check = try check([proof]) {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            let changed = try changing(text)
            #expect(changed != text)
            try Data(changed.utf8).write(to: URL(fileURLWithPath: path))
        }
        #expect(!check.isGood && check.contents.isEmpty)
        return check.lines.filter { !$0.isGood }.map(\.finding)
    }

    /// The entries of a document as texts, and what is around them.
    private func pieces(_ text: String) throws -> (head: String, entries: [String], tail: String) {
        let start = try #require(text.range(of: "\"entries\": [\n")).upperBound
        let end = try #require(text.range(of: "\n  ],\n  \"promises\"")).lowerBound
        return (
            String(text[..<start]),
            text[start..<end].components(separatedBy: ",\n    {").enumerated().map {
                $0.offset == 0 ? $0.element : "    {" + $0.element
            }, String(text[end...])
        )
    }

    private func changing(_ text: String, _ change: (inout [String]) -> Void) throws -> String {
        var (head, entries, tail) = try pieces(text)
        #expect(entries.count == 5)
        change(&entries)
        return head + entries.joined(separator: ",\n") + tail
    }

    @Test("what was written is good, and says how many entries there are, the last digest and that nothing is overdue")
    func good() throws {
        let check = try check([proof()])
        #expect(check.isGood, "\(check.lines)")
        #expect(check.proofs == 1)
        let content = try #require(check.contents.first)
        for word in ["5 of 5 entries", "nothing overdue", Self.chain[4].digest.lowerHex] {
            #expect(content.contains(word), "\(word)")
        }
    }

    @Test("an entry that was edited is named, and nothing is believed")
    func edited() throws {
        let found = try faults(proof()) { $0.replacingOccurrences(of: "\"rows\": 21", with: "\"rows\": 20") }
        #expect(found.contains { $0.hasPrefix("entry 3,") }, "\(found)")
        #expect(!found.contains { $0.hasPrefix("entry 2,") || $0.hasPrefix("entry 4,") })
        #expect(found.contains { $0.contains("was changed since") })
    }

    @Test("an entry that was dropped is named, at the end, too", arguments: 0..<5)
    func dropped(place: Int) throws {
        let found = try faults(proof()) { try changing($0) { $0.remove(at: place) } }
        #expect(found.contains("entry \(place + 1) is missing"), "\(found)")
    }

    @Test("entries that changed places are named")
    func reordered() throws {
        let found = try faults(proof()) { try changing($0) { $0.swapAt(1, 3) } }
        #expect(found.contains("entry 3 stands behind entry 4"), "\(found)")
        #expect(found.contains("entry 2 stands behind entry 4"), "\(found)")
        let twice = try faults(proof()) { try changing($0) { $0.insert($0[1], at: 2) } }
        #expect(twice.contains("entry 2 is there twice"), "\(twice)")
    }

    @Test("whoever signs a ledger with a recomputed past is found out by an earlier proof of the same ledger")
    func retold() throws {
        var chain = Array(Self.chain[..<2])
        for entry in Self.chain[2...] where entry.place != 3 {
            let moved = DeletionEntry(
                place: entry.place - 1, taken: entry.taken, app: entry.app, kind: entry.kind, subject: entry.subject,
                term: entry.term, period: entry.period, rows: entry.rows, digest: [])
            chain.append(Self.written(moved, after: chain.last?.digest ?? []))
        }
        let later = proof(chain, made: Self.now + Self.day)
        #expect(try check([later]).isGood, "alone it tells a story without a gap")
        let both = try check([proof(), later])
        #expect(!both.isGood)
        #expect(
            both.lines.contains { !$0.isGood && $0.finding.hasPrefix("has another entry 3 than ") }, "\(both.lines)")
        #expect(try check([proof(Array(Self.chain[..<3])), proof(made: Self.now + Self.day)]).isGood)
    }

    @Test(
        "a stretch holds what went in it, begins with the digest before it, and is held against proofs of other times")
    func stretch() throws {
        let middle = proof(from: Self.now - 4 * Self.day, to: Self.now - 2 * Self.day)
        #expect(middle.entries.map(\.place) == [2, 3])
        #expect(middle.before == Self.chain[0].link && middle.last == Self.chain[2].link && middle.head.place == 5)
        #expect(try check([middle]).isGood)
        #expect(try check([middle, proof(made: Self.now + 1)]).isGood)
        let none = proof(from: Self.now)
        #expect(none.entries.isEmpty && none.before == Self.chain[4].link && none.last == none.head)
        #expect(try check([none]).isGood)
        let early = proof(to: Self.now - 9 * Self.day)
        #expect(early.entries.isEmpty && early.before == .none && early.last == .none)
        #expect(try check([early]).isGood)
    }

    @Test("an empty ledger is proved as such, and what is overdue is said")
    func empty() throws {
        let check = try check([proof([], lateBy: 1)])
        #expect(check.isGood)
        #expect(check.contents.first?.contains("none of 0 entries; 1 overdue") == true, "\(check.contents)")
        #expect(proof([], lateBy: 1).overdue == 1 && proof([], lateBy: 0).overdue == 0)
    }

    @Test("a chain that was broken in the database is no good proof, though it is signed")
    func broken() throws {
        var chain = Self.chain
        chain.remove(at: 2)
        #expect(proof(chain).broken == 4)
        let found = try check([proof(chain)])
        #expect(!found.isGood)
        #expect(found.lines.contains { $0.finding == "entry 3 is missing" })
        #expect(found.lines.contains { $0.finding.hasPrefix("says itself that the chain") })
    }

    @Test("another's key, another page, another name, another file and a lacking one are found")
    func surroundings() throws {
        let files = FileManager.default
        let base = folder + "/" + proof().stem
        for ending in [RetentionProof.pageEnding, RetentionProof.signatureEnding] {
            #expect(try !check([proof()]) { try files.removeItem(atPath: base + ending) }.isGood)
            #expect(try !check([proof()]) { try Data([1]).write(to: URL(fileURLWithPath: base + ending)) }.isGood)
        }
        #expect(try !check([proof()]) { try Data().write(to: URL(fileURLWithPath: folder + "/more")) }.isGood)
        let other = folder + "/retention-20260101T000000Z"
        let moved = try check([proof()]) {
            for ending in [RetentionProof.documentEnding, RetentionProof.signatureEnding, RetentionProof.pageEnding] {
                try files.moveItem(atPath: base + ending, toPath: other + ending)
            }
        }
        #expect(!moved.isGood)
        defer { try? files.removeItem(atPath: folder) }
        try ReportFolder(path: folder).deliver(proof().files(signedWith: key))
        let stranger = ReportKeyList(keys: [.init(key: ReportKey().publicKey, from: nil, until: nil)])
        #expect(try !RetentionProofCheck(of: folder, keys: stranger).isGood)
        let late = ReportKeyList(keys: [.init(key: key.publicKey, from: Self.now + 1, until: nil)])
        #expect(try !RetentionProofCheck(of: folder, keys: late).isGood)
        #expect(try RetentionProofCheck.concerns(folder))
    }

    @Test("no name from a plan marks anything up on the page")
    func page() throws {
        let entry = DeletionEntry(
            place: 1, taken: Self.now, app: "shop", kind: "labels", subject: "a|b<img>[x](y)\n# Z", term: "t",
            period: nil,
            rows: 1, digest: [])
        let text = proof([Self.written(entry, after: DeletionEntry.noDigest)]).page
        #expect(text.contains(##"1 learned value of the dimension a\|b\<img\>\[x\]\(y\)\\u\{a\}\# Z"##), "\(text)")
        #expect(text.contains("| all apps | counters of the table throng.counter\\_a | not said |"))
    }

    @Test("an officer reads how many of what went, by which promise, and the hour or day that it covers")
    func words() {
        func entry(_ kind: String, _ rows: Int64, hours: Int64, app: String = "shop") -> DeletionEntry {
            DeletionEntry(
                place: 1, taken: Self.now, app: app, kind: kind, subject: "views", term: "after 30 days: delete",
                period: UnixSeconds(1_795_496_400)..<UnixSeconds(1_795_496_400 + hours * 3600), rows: rows, digest: [])
        }
        #expect(entry("counters", 1, hours: 1).words == "1 counter of the table views")
        #expect(entry("numbers", 1234, hours: 1).words == "1,234 released numbers of the metric views")
        #expect(entry("coverage", 1, hours: 1).words == "1 hour of totals of all views")
        #expect(entry("records", 2, hours: 1).words == "2 records of views")
        let all = DeletionEntry(
            place: 1, taken: Self.now, app: "shop", kind: "numbers", subject: "everything", term: "deleted",
            period: nil,
            rows: 1, digest: [])
        #expect(all.words == "1 released number of everything")
        #expect(entry("files", 1, hours: 1, app: "*").appWords == "all apps")
        let spans = [1, 24, 25].compactMap { entry("files", 1, hours: $0).period?.spanWords.prefix { $0 != "," } }
        #expect(spans == ["one hour", "one day", "25 hours"])
        let page = proof([Self.written(entry("counters", 1, hours: 1), after: DeletionEntry.noDigest)]).page
        #expect(page.contains("| 1 counter of the table views | after 30 days: delete | one hour, from 2026-11-"))
    }
}
