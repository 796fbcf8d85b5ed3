internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore
internal import ThrongWire

extension RetentionProof {
    /// The document, with SHA-256 of the page that goes with it, in hexadecimal; nil where none does.
    package func json(page: String?) -> String {
        JSONText.object([
            ("format", .string(Self.format)),
            ("made_at", .string(Instant.text(made))),
            ("key", key.map { .string($0.hex) } ?? .null),
            ("page", page.map { .string($0) } ?? .null),
            ("stretch", .object([("from", Self.instant(from)), ("to", Self.instant(to))])),
            (
                "chain",
                .object([
                    ("holds", .boolean(broken == nil)), ("broken_at", broken.map { .number("\($0)") } ?? .null),
                    ("before", Self.link(before)), ("last", Self.link(last)), ("head", Self.link(head)),
                ])
            ),
            ("entries", .array(entries.map(Self.entry))),
            (
                "promises",
                .array(
                    standing.promises.map {
                        .object([
                            ("app", .string($0.app.text)), ("metric", .string($0.metric.text)),
                            ("until", Self.instant($0.until)), ("steps", .array($0.steps.map { .string($0) })),
                            ("explanation", $0.explanation.map { .string($0) } ?? .null),
                            (
                                "recipients",
                                $0.recipients.map { .array($0.map { .string($0.text) }) } ?? .null
                            ),
                        ])
                    })
            ),
            ("overdue", .number("\(overdue)")),
            ("due", .array(standing.due.map(due))),
            (
                "held",
                .array(
                    standing.held.map { held in
                        .object([
                            ("app", .string(held.app)), ("kind", .string(held.kind)),
                            ("subject", .string(held.subject)), ("rows", held.rows.map { .number("\($0)") } ?? .null),
                            ("from", Self.instant(held.period?.lowerBound)),
                            ("to", Self.instant(held.period?.upperBound)), ("due", Self.instant(held.due)),
                        ])
                    })
            ),
        ]).written() + "\n"
    }

    private func due(_ due: RetentionDue) -> JSONText {
        .object([
            ("app", .string(due.app.text)), ("metric", .string(due.metric.text)), ("term", .string(due.term)),
            ("at", Self.instant(due.at)), ("releases", .number("\(due.releases)")),
            ("overdue", .boolean(due.isOverdue(at: made))),
        ])
    }

    private static func entry(_ entry: DeletionEntry) -> JSONText {
        .object([
            ("place", .number("\(entry.place)")), ("at", instant(entry.taken)), ("app", .string(entry.app)),
            ("kind", .string(entry.kind)), ("subject", .string(entry.subject)), ("term", .string(entry.term)),
            ("from", instant(entry.period?.lowerBound)), ("to", instant(entry.period?.upperBound)),
            ("rows", .number("\(entry.rows)")), ("digest", .string(entry.digest.lowerHex)),
        ])
    }

    private static func link(_ link: ChainLink) -> JSONText {
        .object([("place", .number("\(link.place)")), ("digest", .string(link.digest.lowerHex))])
    }

    private static func instant(_ time: UnixSeconds?) -> JSONText { time.map { .string(Instant.text($0)) } ?? .null }
}
