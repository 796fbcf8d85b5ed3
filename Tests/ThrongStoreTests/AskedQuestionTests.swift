import Foundation
import TestCluster
import Testing
import ThrongPlan

@testable import ThrongStore

@Suite("A reader's question waits for the plan's owner, at every daemon, and not for ever")
struct AskedQuestionTests {
    private let settings: ConnectionSettings
    private let admin: Connection
    private let first: AccessStore
    private let second: AccessStore

    init() async throws {
        settings = try await TestCluster.database()
        admin = Connection(settings)
        (first, second) = (AccessStore(settings), AccessStore(settings))
        let now = UnixSeconds(Int64(Date().timeIntervalSince1970))
        for (id, role) in [("0011aabb", AccessRole.analysis), ("ffffffff", .partner("bank", of: "shop"))] {
            let token = AccessToken(id: id, role: role, note: "To \(id)", createdAt: now, expiresAt: now + 86_400)
            try await first.add(token, AccessSecret())
        }
    }

    private func pass(days: Int) async throws {
        try await admin.execute(
            "update throng.asked_number set asked_at = asked_at - interval '\(days) days', "
                + "declined_at = declined_at - interval '\(days) days'")
        try await second.expireSessions()
    }

    private func ask(_ store: AccessStore, _ question: String, by token: String = "0011aabb", over: String? = nil)
        async throws
        -> Bool
    { try await store.ask(question, app: "shop", by: token, over: over) }

    @Test("eight of a token wait, each once; one that is over leaves its place to another, and no other one")
    func most() async throws {
        for number in 1...AskedQuestion.most {
            #expect(try await ask(first, "metric=m\(number)"))
            #expect(try await !ask(second, "metric=m\(number)"), "it waits already")
        }
        #expect(try await !ask(second, "metric=more"))
        #expect(try await ask(second, "metric=more", by: "ffffffff"))
        let asked = try await second.asked(by: "0011aabb")
        #expect(asked.count == AskedQuestion.most && Set(asked.map(\.id)).count == AskedQuestion.most)
        #expect(asked.allSatisfy { $0.declinedAt == nil && $0.note == "To 0011aabb" && $0.role == .analysis })
        #expect(try await second.asked().count == AskedQuestion.most + 1)
        let known = try #require(asked.first { $0.question == "metric=m3" })
        for other in ["", "0011aabb.3.1", "'; drop table", known.id.uppercased() + "0"] {
            try await second.decline(other)
        }
        #expect(try await first.asked().allSatisfy { $0.declinedAt == nil })
        try await second.decline(known.id)
        let end = try await first.asked().first { $0.id == known.id }?.declinedAt
        try await second.decline(known.id)
        #expect(try await first.asked().filter { $0.declinedAt != nil }.map(\.id) == [known.id] && end != nil)
        #expect(try await ask(first, "metric=more"))
        #expect(try await first.asked(by: "0011aabb").map(\.question).contains("metric=m3") == false)
        try await second.decline(known.id)
        #expect(try await first.asked().allSatisfy { $0.declinedAt == nil }, "another one has its place by now")
        // One that the plan answers goes only where nothing else does, and nobody else's.
        let answered = try #require(try await first.asked(by: "0011aabb").first { $0.question == "metric=m5" })
        #expect(try await !ask(first, "metric=most"))
        #expect(try await !ask(first, "metric=most", over: known.id))
        #expect(try await ask(second, "metric=most", over: answered.id))
        #expect(try await !ask(first, "metric=last", over: answered.id))
        #expect(try await first.asked(by: "0011aabb").map(\.question).contains("metric=m5") == false)
        #expect(try await first.asked(by: "ffffffff").count == 1)
    }

    @Test("two daemons that take questions of one token at once keep each once, and eight of them")
    func race() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { [first, second] in
                    _ = try await (number % 2 == 0 ? first : second).ask(
                        "metric=m\(number / 2 % 10)", app: "shop", by: "0011aabb", over: nil)
                }
            }
            try await group.waitForAll()
        }
        // At once some lose their place to another.
        for number in 0..<10 { _ = try await ask(first, "metric=m\(number)") }
        let kept = try await first.asked().map(\.question)
        #expect(kept.count == AskedQuestion.most && Set(kept).count == kept.count)
    }

    @Test("a question goes 30 days after it was declined, 180 days after it was asked, and with its token")
    func expiry() async throws {
        for name in ["a", "b"] { _ = try await ask(first, name) }
        _ = try await ask(first, "c", by: "ffffffff")
        try await first.decline(try #require(try await first.asked().first { $0.question == "a" }).id)
        let held = try await RetentionStore(admin).standing([]).held.filter { $0.kind == "questions" }
        #expect(held.map(\.app) == ["shop"] && held.map(\.rows) == [3], "what is kept is told to whoever wants a proof")
        let ends = try await admin.texts(
            "select extract(epoch from min(expires_at))::bigint::text from throng.access_token")
        #expect(held.map { $0.due.map { "\($0.value)" } } == ends, "the token ends before the questions would")
        try await pass(days: 29)
        #expect(try await first.asked().count == 3)
        try await pass(days: 2)
        #expect(Set(try await first.asked().map(\.question)) == ["b", "c"])
        #expect(try await first.revoke("ffffffff", now: UnixSeconds(Int64(Date().timeIntervalSince1970))))
        try await pass(days: 0)
        #expect(try await first.asked().map(\.question) == ["b"])
        try await pass(days: 150)
        #expect(try await first.asked().isEmpty)
    }

    @Test("only the reporter reads who asked what")
    func roles() async throws {
        for role in [DatabaseRole.ingest, .analyst] {
            await #expect(throws: PostgresError.self) {
                try await Connection(settings.acting(as: role)).texts("select question from throng.asked_number")
            }
        }
    }
}
