import Testing

/// Beside ``EndToEndTests``, one program at a time.
@Suite("What analysts see, and what they can find out", .serialized)
struct AnalystTests {
    @Test(
        "an analyst's login finds out released numbers and nothing else, by no function, plan, error, catalogue or lock",
        .timeLimit(.minutes(10)))
    func analysts() async throws { try await Program("analysts.py").run() }

    @Test("every query of the dashboards and alerts is answered by PostgreSQL or Prometheus", .timeLimit(.minutes(10)))
    func dashboards() async throws { try await Program("dashboards.py").run() }

    @Test(
        "an analyst explores what is released: each page and CSV is what its SQL gives her role, and no text is run",
        .timeLimit(.minutes(10)))
    func explorer() async throws { try await Program("explorer.py").run() }

    @Test(
        "an analyst explores weeks, former layouts, samples, noise, funnels, learned labels and groups as SQL gives them",
        .timeLimit(.minutes(15)))
    func gallery() async throws { try await Program("gallery.py").run() }
}
