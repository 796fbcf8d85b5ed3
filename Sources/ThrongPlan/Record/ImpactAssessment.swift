/// A draft of a data protection impact assessment of one app, as far as its plan and Throng itself say it.
///
/// It has the parts of Article 35(7) of Regulation (EU) 2016/679 (GDPR), in their order, and a list of what is left to the
/// controller. It is in English only, as the record is, and depends on the plan alone: the same plan makes the same bytes.
package struct ImpactAssessment: Sendable {
    let plan: Plan
    let record: ProcessingRecord
    let risks: [PrivacyRisk]

    package init(of plan: Plan) {
        (self.plan, record, risks) = (plan, ProcessingRecord(of: plan), PrivacyRisk.all(of: plan))
    }

    /// The assessment as Markdown, without a line feed at its end. What the plan says is text in it and never markup.
    package var markdown: String {
        var page = MarkdownPage()
        page.heading(1, "Impact assessment: \(record.title)")
        page.paragraph(
            """
            The plan of \(record.title) (\(record.app)) and Throng say this of the points of Article 35(7) of Regulation (EU) \
            2016/679 (GDPR). Written by `throng plan label --dpia` from plan \(record.plan); a changed plan needs a new one. It is \
            a draft: it is an assessment once the controller has decided what part 7 lists. It goes with the record of the same \
            plan (`throng plan label --record`), which has every field, recipient and step of age.
            """)
        writeNeed(to: &page)
        writeDescription(to: &page)
        writeNecessity(to: &page)
        writeRisks(to: &page)
        page.heading(2, "5. Measures (Art. 35(7)(d))")
        page.paragraph("Throng takes these by itself, in the words of the record, whose parts they name. Add your own:")
        page.list(record.measures.map { "**\($0.kind.title).** \($0.text)" })
        writeResidual(to: &page)
        page.heading(2, "7. To decide by the controller")
        page.list(open.map { "\($0)" })
        return page.text
    }

    private func writeNeed(to page: inout MarkdownPage) {
        page.heading(2, "1. Is one needed? (Art. 35(1) and (3))")
        page.paragraph("This speaks for it or against it, by the criteria of the European authorities (WP 248):")
        let children =
            switch plan.app.directedTo {
            case .general: "the plan says that the app is not directed to children."
            case .children: "children; the plan takes everybody for one."
            case .mixed: "children may be among those who are counted."
            }
        let partners =
            plan.partners.isEmpty
            ? "nobody outside receives numbers."
            : plan.partners.contains(where: \.isEverybody)
                ? "everybody may read numbers of groups." : "partners receive numbers of groups."
        page.list([
            "**Evaluation or scoring:** no number belongs to one person.",
            "**Systematic monitoring:** what people do in the app is counted as they use it.",
            "**Sensitive data:** the plan does not say (part 7).",
            "**Large scale:** about \(PlanNumber.text(plan.app.audience)) devices a day, as the plan expects.",
            "**Matching:** purposes are counted apart; \(partners)", "**Vulnerable people:** \(children)",
        ])
    }

    private func writeDescription(to page: inout MarkdownPage) {
        page.heading(2, "2. The processing and its purposes (Art. 35(7)(a))")
        let come: MarkdownText =
            plan.purposes.contains(where: \.hasIdentifiers)
            ? """
            Events come over a connection that has an address, which is not kept, with an identifier that lives as long as the \
            table says.
            """ : "Events come over a connection that has an address, which is not kept, without any identifier."
        let isLearning = plan.metrics.contains(where: plan.learnsValues)
        let learned: MarkdownText = isLearning ? "a hash until enough devices sent it" : "nothing"
        page.paragraph(
            """
            \(come) Each field becomes one of few words, part of a sum, or \(learned), and counters go up. When a period is over, numbers are \
            made of the counters, once, with noise; those of few \(plan.units) are left out. Reports, pages and analysts have \
            these numbers only.
            """)
        page.table(
            ["purpose", "what for", "legal basis", "an identifier lives", "numbers are kept"],
            record.purposes.map { purpose in
                let life = purpose.rotationSeconds.map { Duration.seconds($0).planText } ?? "there is none"
                return [
                    "\(purpose.name)", "\(purpose.explanation)", "\(purpose.basisText)", "\(life)",
                    "\(Duration.seconds(purpose.retentionSeconds).planText)",
                ]
            })
        page.table(
            ["what devices send", "for", "becomes"],
            record.data.map { field in
                let purposes = field.purposes.map(\.text).listed
                return ["\(field.name)", "\(purposes)", "\(field.uses.map(\.title).listed)"]
            })
        let recipients: [MarkdownText] = record.recipients.map { recipient in
            let reports = recipient.reports.map(\.title).listed
            return "**\(recipient.title)** (\(recipient.contact)) receives \(reports.isEmpty ? "nothing" : reports)."
        }
        page.list(
            ["**People:** \(record.people.text)", "**Analysts of the house** see all released numbers."] + recipients
                + ["**Exact counts:** \(Plan.countsReaders)"])
    }

    private func writeNecessity(to page: inout MarkdownPage) {
        page.heading(2, "3. Necessity and proportionality (Art. 35(7)(b))")
        page.paragraph("Nothing is counted without a question, a decision that it drives, an owner and an end:")
        page.table(
            ["metric", "question", "decision", "owner", "until", "reports"],
            record.purposes.flatMap(\.metrics).map { metric in
                let reports = plan.reports(of: metric.name).map(\.title).listed
                return [
                    "\(metric.title)", "\(metric.question)", "\(metric.decision)", "\(metric.owner)", "\(metric.until)",
                    "\(reports.isEmpty ? "none" : reports)",
                ]
            })
        let recent: MarkdownText =
            plan.purposes.contains(where: \.hasIdentifiers)
            ? " All that came with a device's newest identifier and the one before can be taken back (`POST /v1/withdraw`)."
            : ""
        page.list([
            """
            **Little data:** nothing is kept of a field but what its bucketing or sum leaves, and nothing at all of a field that \
            the plan does not name.
            """,
            "**Rights of access, rectification and erasure:** nobody can be found in the counts (Art. 11).\(recent)",
            "**Information:** the privacy label says all of this to people, on a page of the daemon and by `throng plan label`.",
            "**Limits of time:** metrics end on their date, and numbers go at the ages of the record's part 6.",
        ])
    }

    private func writeRisks(to page: inout MarkdownPage) {
        page.heading(2, "4. Risks to people (Art. 35(7)(c))")
        page.paragraph(
            """
            The three questions are those of the British authority (ICO): how likely is harm, how severe, and what is the risk of \
            both. These answers suppose that events were stored as they come. They are proposals, for events that say nothing of \
            a special category.
            """)
        page.table(
            ["risk", "likelihood of harm", "severity of harm", "overall risk"],
            risks.map {
                ["\($0.kind.rawValue)", "\($0.before.rawValue)", "\($0.severity.rawValue)", "\($0.overall(.before))"]
            })
        page.list(risks.map { "**\($0.kind.rawValue):** \($0.source)" })
    }

    private func writeResidual(to page: inout MarkdownPage) {
        page.heading(2, "6. Risks that are left")
        page.table(
            ["risk", "lowered by", "likelihood of harm", "severity of harm", "overall risk"],
            risks.map { risk in
                let taken = record.measures.map(\.kind).filter(risk.measures.contains).map(\.title)
                return [
                    "\(risk.kind.rawValue)", "\(taken.listed)", "\(risk.after.rawValue)",
                    "\(risk.severity.rawValue)", "\(risk.overall(.after))",
                ]
            })
        page.list(risks.map { "**\($0.kind.rawValue):** \($0.reason)" })
        page.paragraph(
            """
            These, too, are proposals: they leave out what you do besides, such as who may reach the machines. Where a risk stays \
            high, ask the supervisory authority before you begin (Art. 36).
            """)
    }

    /// The points that no plan settles: the record's, and those of an assessment.
    @ListBuilder<String> private var open: [String] {
        let unseen = plan.metrics.filter { plan.reports(of: $0.name).isEmpty }.map(\.title)
        let shown = plan.purposes.filter { purpose in
            purpose.hasIdentifiers
                && plan.metrics.allSatisfy {
                    $0.purpose != purpose.name || !($0.reach || $0.within != nil || plan.learnsValues($0))
                }
        }.map(\.name.text)
        "The advice of the data protection officer (Art. 35(2)), and the views of people or their representatives (Art. 35(9))."
        "Whether likelihoods and severities of parts 4 and 6 are right for what these events are about."
        if !unseen.isEmpty { "Whether these metrics, which no report shows, are needed: \(unseen.listed)." }
        if !shown.isEmpty {
            """
            Whether these purposes, which count no devices, need identifiers: \(shown.listed). With \
            'identifier: none' the smallest group is one of actions.
            """
        }
        record.open.map(\.text)
        "Who accepts the risks that are left, and when this is looked at again: with each changed plan, at least (Art. 35(11))."
    }
}

extension Plan {
    func reports(of metric: MetricName) -> [Report] {
        reports.filter { $0.insights.contains { insight($0)?.metric == metric } }
    }

    func learnsValues(_ metric: Metric) -> Bool { metric.dimensions.contains { dimension($0)?.isRevealed == true } }

    /// "devices", or "devices or actions": what numbers stand for.
    fileprivate var units: String {
        let found = Set(purposes.map(\.unit))
        return LabelUnit.allCases.filter(found.contains).map(\.many).joined(separator: " or ")
    }

    /// Harm to a child weighs more.
    private func severity(of purposes: [Purpose]) -> PrivacyRisk.Severity {
        purposes.contains(where: countsChildren) ? .severe : .significant
    }

    private var severity: PrivacyRisk.Severity { severity(of: purposes) }

    private var shown: [Purpose] { purposes.filter(\.hasIdentifiers) }

    private func names(_ purposes: [Purpose]) -> String { purposes.map(\.name.text).listed }

    fileprivate var singlingOut: PrivacyRisk {
        let absent = purposes.filter { !$0.hasIdentifiers }
        return PrivacyRisk(
            kind: .singlingOut,
            source: """
                Somebody sees in a published number that one person is among those counted, or what that person did, as in a \
                group of one.
                """, severity: severity, before: .probable, after: absent.isEmpty ? .remote : .possible,
            measures: [.coarsening, .threshold, .margin, .bound, .children],
            reason: sentences {
                "Small groups are left out, and every margin is wider than what one device or action adds."
                if !absent.isEmpty {
                    "For \(names(absent)) the smallest group counts actions: a device that sends many more than the "
                        + "bound in a period is hidden less."
                }
            })
    }

    fileprivate var linkability: PrivacyRisk {
        let longest = shown.max { $0.rotation < $1.rotation }?.rotation
        let seen = purposes.filter { $0.transport == .direct && $0.senders == .anybody }
        let hidden = purposes.filter { $0.transport == .oblivious }
        return PrivacyRisk(
            kind: .linkability,
            source: shown.isEmpty
                ? "Somebody joins what arrives with the address that it came from."
                : "Somebody puts together what one device did at several times or for several purposes, "
                    + "or joins it with an address.", severity: severity, before: .probable,
            after: longest.map { $0.seconds > 3600 } == true ? .possible : .remote,
            measures: [.identifiers, .transport, .plan],
            reason: sentences {
                "Published numbers, and all that is stored once a window is over, have nothing in them that two events share."
                longest.map {
                    "An identifier lives \(Duration.seconds($0.seconds).planText) at most, and serves one purpose."
                } ?? "No identifier is sent."
                if !seen.isEmpty { "Addresses are seen on arrival for \(names(seen)), and are not kept." }
                if !hidden.isEmpty {
                    "The relay sees addresses and no events for \(names(hidden)), the daemon events and no addresses."
                }
            })
    }

    fileprivate var inference: PrivacyRisk {
        PrivacyRisk(
            kind: .inference,
            source: """
                Somebody compares numbers of several days, groups or recipients, and works out what few people did; or takes what \
                is true of a group to be true of each in it.
                """, severity: severity, before: .possible, after: .remote, measures: [.margin, .bound, .coarsening],
            reason: """
                Noise is in each number, and equal questions have equal answers. 'throng audit' says what all that was released \
                tells together. The truth about a large group stays visible: it is the answer that was asked for.
                """)
    }

    fileprivate var forgedCrowds: PrivacyRisk {
        let open = purposes.filter { !$0.needsProof && $0.senders == .anybody }
        let bounded = open.filter { $0.floorPerNetwork != nil }
        let kept = purposes.filter { !open.contains($0) }
        return PrivacyRisk(
            kind: .forgedCrowds,
            source:
                "Somebody invents senders, so that a group of few looks like a large one, or so that numbers are false.",
            severity: severity(of: open.isEmpty ? purposes : open), before: open.isEmpty ? .possible : .probable,
            after: open.isEmpty ? .remote : .possible, measures: [.threshold, .margin, .bound],
            reason: sentences {
                if !kept.isEmpty { "Only proved devices lift a group, or only backends send, for \(names(kept))." }
                if !open.isEmpty { "Nothing proves senders for \(names(open))." }
                if !bounded.isEmpty { "Of one network only some lift a group, for \(names(bounded))." }
                open.isEmpty ? "The margin holds whoever sends." : "The margin holds all the same, whoever sends."
            })
    }

    fileprivate var operators: PrivacyRisk {
        let seen = shown.filter { $0.transport == .direct && $0.senders == .anybody }
        return PrivacyRisk(
            kind: .operators,
            source: """
                Somebody who runs the machines, or breaks into them, reads exact counts of small groups until they go, or changes \
                the program and sees what arrives.
                """, severity: severity(of: seen.isEmpty ? purposes : seen), before: .probable,
            after: seen.isEmpty ? .remote : .possible,
            measures: [.identifiers, .coarsening, .deletion, .access, .transport],
            reason: """
                Counts are stored, and what open windows have, encrypted. Arriving events have \
                \(seen.isEmpty ? "no identifier beside a device's address" : "an address and an identifier for \(names(seen))"); nothing here \
                keeps somebody from it who has the machine.
                """)
    }

    fileprivate var partnersRisk: PrivacyRisk {
        let open = reports.filter { $0.publicity != nil }.map { "'\($0.title)'" }
        return PrivacyRisk(
            kind: .partners,
            source: """
                A partner keeps reports for longer than was said, joins them with others or with what it knows, or uses them for \
                something else.
                """, severity: severity, before: .possible, after: open.isEmpty ? .remote : .possible,
            measures: [.reports, .margin, .access],
            reason: sentences {
                "Partners receive numbers of groups, and all partners' numbers together tell no more of one device "
                    + "than was promised. Reports that were handed over can't be called back."
                if !open.isEmpty { "Everybody may read \(open.listed), copy it and keep it for good." }
            })
    }

    fileprivate var learnedValues: PrivacyRisk {
        PrivacyRisk(
            kind: .learnedValues, source: "A text that many send says something of a person whom it names.",
            severity: severity, before: .probable, after: app.evaluator == nil ? .possible : .remote,
            measures: [.revealed], reason: "Only texts that enough devices sent are learned. \(hidingText)")
    }
}

/// A risk to people who are counted, rated by the three questions of the ICO's template of an impact assessment.
struct PrivacyRisk: Sendable, Hashable {
    let kind: Kind
    /// The way in which harm comes about.
    let source: String
    let severity: Severity
    /// The likelihood if events were stored as they come.
    let before: Likelihood
    /// The likelihood with ``measures``.
    let after: Likelihood
    let measures: Set<ProcessingRecord.Measure.Kind>
    /// The reason for ``after``.
    let reason: String

    /// The three of Opinion 05/2014 of the Article 29 Working Party, then those of people with a part in it.
    enum Kind: String {
        case singlingOut = "Singling out"
        case linkability = "Linkability"
        case inference = "Inference"
        case forgedCrowds = "Forged crowds"
        case operators = "Operators and intruders"
        case partners = "Partners"
        case learnedValues = "Values that are learned"
    }

    enum Likelihood: String { case remote, possible, probable }
    enum Severity: String { case significant, severe }
    enum Time { case before, after }

    /// The overall risk, by the ICO's table: low, medium or high.
    func overall(_ time: Time) -> String {
        switch (severity, time == .before ? before : after) {
        case (_, .remote): "low"
        case (.significant, .possible): "medium"
        case (.significant, .probable), (.severe, _): "high"
        }
    }

    /// Returns the risks that a plan has.
    static func all(of plan: Plan) -> [Self] {
        [plan.singlingOut, plan.linkability, plan.inference, plan.forgedCrowds, plan.operators]
            + (plan.partners.isEmpty ? [] : [plan.partnersRisk])
            + (plan.metrics.contains(where: plan.learnsValues) ? [plan.learnedValues] : [])
    }
}
