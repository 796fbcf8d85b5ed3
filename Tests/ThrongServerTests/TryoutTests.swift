import Foundation
import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongServer

@Suite("The page of a trial shows what is taken back")
struct TryoutTests {
    private static let now = UnixSeconds(1_795_219_200)

    private static func plan() throws -> Plan {
        try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
                purposes:
                  product: {explanation: To see., consent: required, rotation: 1 day, retention: 400 days}
                metrics:
                  orders: {title: Orders, events: [paid], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// A feed to which one posts.
    private struct Feed {
        let plan: Plan
        let feed: TryoutFeed

        init() throws {
            plan = try TryoutTests.plan()
            feed = TryoutFeed(plan: TryoutPlan("plan.yaml", plan, .counting))
        }

        /// Posts under an identifier; the answer is a batch's with that many accepted, or else a withdrawal's.
        func post(_ id: String, accepted: Int?, refused: RefusalReason? = nil, status: Int = 202, batch: String = "")
            throws
        {
            let events = String(repeating: #"{"event": "paid"},"#, count: (accepted ?? 0) + (refused == nil ? 0 : 1))
            let window = now.value / 86_400
            let body =
                accepted == nil
                ? #"{"app": "shop", "purpose": "product", "window": \#(window), "id": "\#(id)"}"#
                : #"{"purpose": "product", "window": \#(window), "id": "\#(id)", "batch": "\#(batch)", "#
                    + #""events": [\#(events.dropLast())]}"#
            let answer = try accepted.map { count in
                try JSONEncoder().encode(
                    BatchAnswer(accepted: count, refused: refused.map { [.init(index: count, reason: $0)] } ?? []))
            }
            let said = status == 202 ? #"{"receipt": "0b6c"}"# : #"{"error": "unknown_purpose", "detail": "None."}"#
            let entry = TryoutBatch(
                feed.nextNumber(), plan: plan, now: now, body: Array(body.utf8), isGzip: false, status: status,
                answer: answer.map { Array($0) } ?? Array(said.utf8), preview: nil, isWithdrawal: accepted == nil,
                hasCome: feed.hasCome)
            feed.put(entry, isNew: true)
        }

        /// The words of each entry's marks, and the entry.
        func shown() -> [(marks: [String], entry: TryoutEntry)] {
            feed.newest(100).batches.map { TryoutReading(of: $0, in: .english).entry }.map { entry in
                (entry.marks.map { $0[1] }, entry)
            }
        }

        private var now: UnixSeconds { TryoutTests.now }
    }

    @Test("a withdrawal says how many counted events it takes back: each once, of its own identifier")
    func withdrawal() throws {
        let feed = try Feed()
        try feed.post("a", accepted: 2, batch: "1")
        try feed.post("a", accepted: 2, batch: "1")
        try feed.post("a", accepted: 1, batch: "2")
        try feed.post("b", accepted: 4, batch: "3")
        try feed.post("a", accepted: nil)
        try feed.post("a", accepted: nil)
        let shown = feed.shown()
        #expect(
            shown.map { $0.marks }[4...] == [
                ["3 taken back"], ["taken back: no event of this identifier is known here"],
            ])
        #expect(shown[4].entry.events.isEmpty && shown[4].entry.consent.isEmpty && !shown[4].entry.window.isEmpty)
    }

    @Test("a withdrawal that is refused takes nothing back, and says why")
    func refused() throws {
        let feed = try Feed()
        try feed.post("a", accepted: 1, batch: "1")
        try feed.post("a", accepted: nil, status: 404)
        try feed.post("a", accepted: nil)
        let shown = feed.shown()
        #expect(shown.map { $0.marks }[1...] == [["404: unknown_purpose"], ["1 taken back"]])
        #expect(shown[1].entry.problem?.detail == "None.")
    }

    @Test("an event that is refused as taken back or opted out says both, in every language")
    func explanation() throws {
        let feed = try Feed()
        try feed.post("a", accepted: 0, refused: .optedOut, batch: "1")
        let event = try #require(feed.shown()[0].entry.events.first)
        #expect(event.refused == "opted_out")
        #expect(event.note == "It was taken back, or its sender has opted out and the purpose honours that.")
        let batch = try #require(feed.feed.newest(1).batches.first)
        let notes = Language.all.map { TryoutReading(of: batch, in: $0).entry.events.first?.note }
        #expect(Set(notes).count == 11)
    }

    @Test("a withdrawal has words of its own in every language", arguments: Language.all)
    func words(language: Language) {
        let said = ["withdrawn", "unknown", "counted", "nameless"].map {
            language.say(.tryMark, ["case": $0, "count": 3])
        }
        #expect(Set(said).count == 4, "\(language.tag): \(said)")
        #expect(said[0].contains { "3٣".contains($0) } && !said[1].contains { "3٣".contains($0) })
    }
}
