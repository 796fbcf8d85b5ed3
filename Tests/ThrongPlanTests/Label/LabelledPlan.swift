@testable import ThrongPlan

/// Plans of different shapes, of which different things are true.
enum LabelledPlan: String, CaseIterable {
    case plain, absent, attested, partners, children, quarter, sampled, revealed, decay, asking, servers, languages,
        mixed, budget, bases, open

    func plan() throws -> Plan {
        try Plan(yaml: yaml, file: "\(rawValue).yaml", today: SamplePlan.today)
    }

    private static let rotating =
        "product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}"
    private static let size = "size: {title: Size, field: size, list: [small, big], partitions: devices}"

    private static func purpose(_ terms: String) -> String {
        "product: {explanation: To see., consent: not_required, retention: 400 days, \(terms)}"
    }

    private static func metric(
        _ terms: String = "", named name: String = "views", purpose: String = "product", events: String = "[view]"
    ) -> String {
        """
        \(name): {title: The \(name), events: \(events), question: How many?, decision: That., owner: Team, expires: 2027-06-30,
            purpose: \(purpose), period: day\(terms.isEmpty ? "" : ", \(terms)")}
        """
    }

    private static func text(
        app: String = "", title: String = "Play", purposes: [String] = [rotating], dimensions: [String] = [],
        metrics: [String] = [metric()], rest: String = ""
    ) -> String {
        func part(_ name: String, _ entries: [String]) -> String {
            entries.isEmpty ? "" : "\(name):\n" + entries.map { "  \($0)\n" }.joined()
        }
        return """
            app: {name: play, title: \(title), owner: Team, contact: a@example.com, audience: 90000\(app)}

            """ + part("purposes", purposes) + part("dimensions", dimensions) + part("metrics", metrics) + rest
    }

    private static let shared = """
        insights:
          all_views: {title: All views, metric: views, kind: count}
          all_sales: {title: All sales, metric: sales, kind: count}
        partners:
          bank: {title: A Bank, contact: bank@example.com}
          press: {title: A Paper, contact: press@example.com}
        reports:
          daily: {title: Daily, partner: bank, insights: [all_views], period: day, deliver: [{folder: out}]}
          paper: {title: Paper, partner: press, insights: [all_sales], period: day, deliver: [{folder: out}]}

        """

    private var yaml: String {
        switch self {
        case .plain: Self.text()
        case .absent:
            Self.text(
                purposes: [Self.purpose("identifier: none")], dimensions: [Self.size],
                metrics: [Self.metric("dimensions: [size], contribution_bound: 3")])
        case .attested:
            Self.text(
                purposes: [Self.purpose("rotation: 1 day, floor: attested")], dimensions: [Self.size],
                metrics: [Self.metric("dimensions: [size], measures: {reach: attested}")])
        case .partners:
            Self.text(
                purposes: [
                    Self.rotating,
                    "shop: {explanation: To sell., consent: required, rotation: 15 minutes, retention: 180 days}",
                    "tally: {explanation: To sum up., consent: not_required, identifier: none, retention: 100 days}",
                ],
                metrics: [
                    Self.metric(), Self.metric(named: "sales", purpose: "shop", events: "[sale]"),
                    Self.metric(named: "taps", purpose: "tally", events: "[tap]"),
                ], rest: Self.shared)
        case .children:
            Self.text(
                app: ", threshold: 50, directed_to: children",
                purposes: [
                    "product: {explanation: To see., use: product, consent: parent, rotation: 1 hour, retention: 100 days}"
                ], metrics: [Self.metric("measures: {reach: true}")])
        case .quarter:
            Self.text(
                purposes: [Self.purpose("rotation: 15 minutes")],
                metrics: [
                    Self.metric("measures: {reach: true}, rollups: [week]"),
                    Self.metric(
                        "measures: {funnel: {steps: [{title: Cart, event: cart}, {title: Paid, event: paid}]}}",
                        named: "way", events: "[cart, paid]"),
                    Self.metric("measures: {frequency: {bands: [1, 2, 5]}}", named: "often", events: "[look]"),
                ])
        case .sampled: Self.text(metrics: [Self.metric("sampling: 0.25, measures: {reach: client}")])
        case .revealed:
            Self.text(
                dimensions: ["word: {title: Word, field: word, revealed: {most: 10}}"],
                metrics: [Self.metric("dimensions: [word]")])
        case .decay:
            Self.text(
                dimensions: [Self.size],
                metrics: [
                    Self.metric(
                        """
                        dimensions: [size], measures: {sums: {spent: {field: amount, from: 0, to: 500, decimals: 2, unit: EUR}}},
                            rollups: [week], decay: [{after: 30 days, drop: size}, {after: 90 days, keep: weeks}]
                        """)
                ])
        case .asking:
            Self.text(
                purposes: [
                    """
                    product: {explanation: To see., consent: required, rotation: 1 hour, retention: 30 days, use: marketing,
                        refused_by: [global_privacy_control, do_not_track]}
                    """
                ], metrics: [Self.metric("threshold: 30")])
        case .servers: Self.text(purposes: [Self.purpose("rotation: 1 day, senders: backends")])
        case .languages:
            Self.text(
                title: "{en: Play, de: Spiel}",
                dimensions: ["size: {title: {en: Size, de: Maß}, field: size, list: [small]}"],
                metrics: [Self.metric("dimensions: [size]")])
        case .mixed:
            Self.text(
                app: ", threshold: 50, directed_to: mixed, relay: \"https://relay.example.net\"",
                purposes: [
                    """
                    product: {explanation: To see., use: product, consent: parent, rotation: 1 hour, retention: 100 days,
                        transport: oblivious, floor_per_network: 5}
                    """,
                    "grown: {explanation: To sell., consent: required, rotation: 1 hour, retention: 100 days, refused_by: [age_signal]}",
                ], metrics: [Self.metric(), Self.metric(named: "sales", purpose: "grown", events: "[sale]")])
        case .bases:
            Self.text(
                purposes: LegalBasis.allCases.map { basis in
                    "\(basis.rawValue): {explanation: To see., consent: not_required, legal_basis: \(basis.rawValue), retention: 9 days}"
                },
                metrics: LegalBasis.allCases.map { basis in
                    Self.metric(
                        named: "by_\(basis.rawValue)", purpose: basis.rawValue, events: "[of_\(basis.rawValue)]")
                })
        case .open:
            Self.text(
                rest: """
                    insights:
                      all_views: {title: All views, metric: views, kind: count}
                    reports:
                      daily: {title: Daily, public: true, insights: [all_views], period: day}

                    """)
        case .budget: Self.text(app: ", budget: 0.05", metrics: [Self.metric("measures: {reach: true}")])
        }
    }
}
