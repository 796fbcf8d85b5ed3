extension ProcessingRecord {
    package init(of plan: Plan) {
        format = Self.format
        app = plan.app.name
        title = plan.app.title
        self.plan = plan.version.hex
        timeZone = plan.app.timeZone
        controller = Controller(owner: plan.app.owner, contact: plan.app.contact)
        purposes = plan.purposes.map { Purpose($0, of: plan) }
        people = People(of: plan)
        data = Field.all(of: plan)
        recipients = plan.partners.map { Recipient($0, of: plan) }
        erasure = plan.metrics.map { Erasure($0, of: plan) }
        measures = Measure.all(of: plan)
        open = OpenPoint.all(of: plan)
    }
}

extension ProcessingRecord.Purpose {
    fileprivate init(_ purpose: Purpose, of plan: Plan) {
        name = purpose.name
        explanation = purpose.explanation
        use = purpose.use
        let unasked = purpose.legalBasis.flatMap { ProcessingRecord.Basis(rawValue: $0.rawValue) } ?? .undecided
        basis = purpose.needsParent ? .consentOfParent : purpose.needsConsent ? .consent : unasked
        let asking = "The client has to ask, and to send nothing before; the daemon can't check it."
        basisText =
            switch basis {
            case .consent: "Consent (Art. 6(1)(a)). \(asking)"
            case .consentOfParent: "Consent (Art. 6(1)(a)), for a child a parent's (Art. 8). \(asking)"
            default: purpose.legalBasis?.recorded ?? "Not in the plan, which says only that nobody is asked."
            }
        refusedBy = purpose.refusedBy.sorted { $0.rawValue < $1.rawValue }
        rotationSeconds = purpose.hasIdentifiers ? purpose.rotation.seconds : nil
        retentionSeconds = purpose.retention.components.seconds
        metrics = plan.metrics.filter { $0.purpose == purpose.name }.map { metric in
            ProcessingRecord.Metric(
                name: metric.name, title: metric.title, owner: metric.owner, question: metric.question,
                decision: metric.decision, events: metric.events, until: metric.expires.description)
        }
    }
}

extension LegalBasis {
    /// "Legitimate interests (Art. 6(1)(f)), as the plan says."
    fileprivate var recorded: String {
        "\(words.prefix(1).uppercased())\(words.dropFirst()) (Art. 6(1)(\(letter))), as the plan says. Nobody is asked."
            + (allowsObjection ? " People may object (Art. 21(1)), and are told whom to write to." : "")
    }
}

extension ProcessingRecord.People {
    fileprivate init(of plan: Plan) {
        let app = plan.app
        let telling =
            plan.purposes.contains(where: \.hasIdentifiers)
            ? "Throng tells devices apart, on the web tabs, not people, and no two windows of a device."
            : "Throng tells neither people nor devices apart."
        devicesPerDay = app.audience
        directedTo = app.directedTo
        let children =
            switch app.directedTo {
            case .general: ""
            case .children: " It is directed to children: all of them are taken for such."
            case .mixed: " Children may be among them: whoever is not known to be grown up is taken for one."
            }
        text =
            """
            Whoever uses \(app.title): about \(PlanNumber.text(app.audience)) devices a day, as the plan expects.\(children) \
            \(telling)
            """
    }
}

extension ProcessingRecord.Recipient {
    fileprivate init(_ partner: Partner, of plan: Plan) {
        name = partner.name
        title = partner.title
        contact = partner.contact
        reports = plan.reports.filter { $0.partner == partner.name }.map { report in
            ProcessingRecord.Report(
                name: report.name.text, title: report.title, period: report.period,
                schedule: report.schedule?.text,
                isAlert: report.alert == nil ? nil : true,
                deliveries: report.deliveries.map(\.target), keptSeconds: plan.seconds(keeping: report),
                insights: report.insights.compactMap { plan.insight($0) }.map {
                    ProcessingRecord.Insight(name: $0.name.text, title: $0.title, metric: $0.metric)
                })
        }
    }
}
