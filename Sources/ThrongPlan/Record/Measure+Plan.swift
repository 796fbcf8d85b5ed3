extension ProcessingRecord.Measure {
    /// Returns the measures that Throng takes for this plan by itself, each with its limits.
    static func all(of plan: Plan) -> [Self] {
        Kind.allCases.compactMap { kind in plan.text(of: kind).map { Self(kind: kind, text: $0) } }
    }
}

extension ProcessingRecord.Measure.Kind {
    var title: String {
        switch self {
        case .plan: "Only what is planned"
        case .identifiers: "Short-lived identifiers"
        case .transport: "Sent without an address"
        case .coarsening: "Coarsening before storage"
        case .threshold: "Smallest group"
        case .bound: "Bound of one identifier"
        case .margin: "Numbers that are off on purpose"
        case .revealed: "Values that are learned"
        case .devices: "What devices say of themselves"
        case .signals: "Signals that refuse"
        case .children: "Children"
        case .deletion: "Deletion"
        case .access: "Access"
        case .staff: "People who sign in"
        case .reports: "Reports"
        }
    }
}

extension Plan {
    /// The readers of counters behind released numbers.
    static let countsReaders = Language.english.say(.labelCountsReaders)

    fileprivate func text(of kind: ProcessingRecord.Measure.Kind) -> String? {
        let text =
            switch kind {
            case .plan: plannedText
            case .identifiers: identifiersText
            case .transport: transportText ?? ""
            case .coarsening: coarseningText
            case .threshold: thresholdText
            case .bound: boundText
            case .margin: marginText
            case .revealed: learnedText
            case .devices: devicesText
            case .signals: signalText
            case .children: childrenText
            case .deletion:
                """
                Numbers go at the ages of part 6, once a day. What went is written down in a chain of digests \
                ('throng retention status --ledger'), and what is overdue is said ('throng retention status'). A later plan that \
                keeps numbers for longer does so for what is counted from then on. \(Language.english.say(.labelCountsKept))
                """
            case .access:
                "Roles in PostgreSQL are separate: analysts' logins read released numbers and no counters. Partners "
                    + "see their own reports only. \(Self.countsReaders)"
            case .staff:
                """
                Staff and partners sign in with tokens. Of each its hash, role and dates are kept, and the operator's note of whom it \
                was given to, which goes 30 days after the token expires or is taken back. A sign-in is a cookie's hash and its times. \
                It goes an hour after the last look, or after twelve hours; a partner's goes after 30 days. As long as the token opens \
                anything, the last hour in which a partner's read each report is kept. So are the numbers that its reader asked for, \
                for 180 days at most. Addresses are not kept.
                """
            case .reports:
                reports.isEmpty
                    ? ""
                    : "Reports hold released numbers only, come with a signed manifest that 'throng verify' checks, "
                        + "and say of each number what it stands on."
            }
        return text.isEmpty ? nil : text
    }

    private var plannedText: String {
        let closed = purposes.filter { $0.senders == .backends }.map(\.name.text)
        return sentences {
            "An event, a field or a value that this record does not list changes no number, but that of refusals."
            if !closed.isEmpty { "For \(closed.listed) only backends may send, which show a secret." }
        }
    }

    private var identifiersText: String {
        let rotations = purposes.filter(\.hasIdentifiers).map {
            "\($0.name) after \(Duration.seconds($0.rotation.seconds).planText)"
        }
        let absent = purposes.filter { !$0.hasIdentifiers }.map(\.name.text)
        let within = metrics.filter { $0.within != nil }.map(\.title)
        let progress =
            within.isEmpty ? "" : ", and how far it came or how often it did something (\(within.listed))"
        return sentences {
            if !rotations.isEmpty {
                """
                Each purpose has identifiers of its own, which the client replaces: \(rotations.listed). \
                On arrival each is replaced by a hash under a random key of its window. The key is destroyed when the \
                window is over and PostgreSQL has all of it. Until then the journal on the disk holds, encrypted under that \
                key, what was counted of it\(progress). Whether identifiers really change is up to the client.
                """
            }
            if !absent.isEmpty {
                "Without identifiers: \(absent.listed). A value is sent and a counter goes up, so that nobody can tell "
                    + "whose it was, count devices or take anything back."
            }
        }
    }

    private var coarseningText: String {
        sentences {
            """
            Values become one of the listed words, or part of a sum, before anything is written. No table, log, metric \
            or temporary file holds any other value as it came, an address, an identifier or a single event in the clear.
            """
            if dimensions.contains(where: \.isRevealed) { "Values that are learned are an exception (below)." }
        }
    }

    private var thresholdText: String {
        let counted = metrics.filter { purpose($0.purpose)?.hasIdentifiers == true }
        guard !counted.isEmpty else { return "" }
        let higher = counted.filter { $0.threshold > app.threshold }.map { "\($0.title) for \($0.threshold.devices)" }
        let more = higher.isEmpty ? "" : "; \(higher.listed)"
        let except = counted.count < metrics.count ? " of a purpose with identifiers" : ""
        let shown = purposes.filter(\.hasIdentifiers)
        let proved = shown.filter(\.needsProof).map(\.name.text)
        return sentences {
            "A published number\(except) stands for at least \(app.threshold.devices) devices\(more), counted by the "
                + "distinct identifiers of one window; on the web each tab has its own."
            if !proved.isEmpty { "For \(proved.listed) only proved ones count." }
            if proved.count < shown.count {
                "Identifiers without proof cost nothing, so this holds against clients that are honest."
            }
        }
    }

    private var boundText: String {
        func bounds(_ metrics: [Metric]) -> String {
            metrics.map {
                "\($0.title) \(PlanNumber.text($0.mostContributions))\($0.choosesBound ? ", in a release fewer" : "")"
            }.listed
        }
        let alone = bounds(metrics.filter { purpose($0.purpose)?.hasIdentifiers == false })
        let bounds = bounds(metrics.filter { $0.within == nil && purpose($0.purpose)?.hasIdentifiers == true })
        let once = metrics.filter { $0.within != nil }.map(\.title)
        return sentences {
            if !bounds.isEmpty { "One identifier adds at most so many events to a metric in one window: \(bounds)." }
            if !once.isEmpty { "Each identifier counts once in \(once.listed)." }
            if !alone.isEmpty { "One event counts at most, and nobody knows who sends several: \(alone)." }
            "What is added up is clipped."
        }
    }

    private var marginText: String {
        let names = metrics.map { metric in
            let unit = purpose(metric.purpose)?.unit ?? .action
            let (devices, bounds) = roughMargin(of: metric)
            let name = [.device: "a device and day", .visit: "a visit"][unit] ?? "an action"
            let cost = marginCost(of: metric).map { ", ρ \($0) for \(name)" } ?? ""
            let off = unit == .action ? "what \(bounds) actions add" : "\(devices) \(unit.many)"
            let least = "\(metric.threshold.devices)\(unit == .action ? " actions" : "")"
            return "\(metric.title) (about \(off), never of fewer than \(least)\(cost))"
        }
        return "Each number is off on purpose, by so much in 19 of 20 cases: \(names.listed). Half of that noise stays "
            + "with a question from period to period. Counters behind the numbers are exact."
    }

    private var learnedText: String {
        let names = dimensions.filter(\.isRevealed).map { dimension in
            "\(dimension.title) from \(revealThreshold(of: dimension.name).devices) devices on"
        }
        guard !names.isEmpty else { return "" }
        return "Values that nobody can list come as hashes, and are asked for when enough devices sent the same within "
            + "one window: \(names.listed). Rarer ones are never known. \(hidingText)"
    }

    private var devicesText: String {
        let names = metrics.filter { $0.countsFirsts || $0.answered != nil }.map(\.title)
        guard !names.isEmpty else { return "" }
        return "In the place of a lasting identifier, devices say themselves whether they came back, how often, or "
            + "whether an event is their first: \(names.listed). Nobody can check that."
    }

    private var childrenText: String {
        let names = purposes.filter(countsChildren).map(\.name.text)
        guard app.directedTo != .general else { return "" }
        return """
            \(names.isEmpty ? "No purpose counts children" : "Children are counted for \(names.listed)"). A \
            plan that counts them for marketing, by an identifier that lives longer than \
            \(Duration.seconds(Self.rotationForChildren.seconds).planText) or is known again after a launch, with values that \
            nobody has listed, or with a smallest group under \(Threshold.forChildren.devices) is refused. Who is a child only \
            the client can know.
            """
    }

    private var signalText: String {
        let refused = purposes.filter { !$0.refusedBy.isEmpty }.map { purpose in
            "\(purpose.name) by \(purpose.refusedBy.map(\.rawValue).sorted().listed)"
        }
        guard !refused.isEmpty else { return "" }
        let signals = Set(purposes.flatMap(\.refusedBy))
        let theirs = [OptOutSignal.limitAdTracking, .ageSignal].filter(signals.contains).map(\.rawValue)
        return sentences {
            "Nothing is counted where a person's software says no: \(refused.joined(separator: "; "))."
            if !signals.isDisjoint(with: [.globalPrivacyControl, .doNotTrack]) {
                "The daemon holds itself to the headers Sec-GPC and DNT."
            }
            if !theirs.isEmpty {
                "Only the client knows of \(theirs.joined(separator: " and ")), and keeps silent then."
            }
        }
    }
}

extension ProcessingRecord.OpenPoint {
    /// Returns the points that the plan's author alone has to decide and write down, in the record's order.
    static func all(of plan: Plan) -> [Self] {
        Part.allCases.flatMap { part in texts(about: part, of: plan).map { Self(part: part, text: $0) } }
    }

    @ListBuilder<String> private static func texts(about part: Part, of plan: Plan) -> [String] {
        switch part {
        case .controller:
            "Name and address of the controller and, where there are any, of joint controllers, of the representative "
                + "and of the data protection officer. The plan names a team and a contact only."
            "Who runs the daemon and PostgreSQL for you, if somebody else does, and by which contract (Art. 28)."
        case .purposes:
            plan.purposes.map(basis)
            "Whether storing or reading something on the device needs consent of its own (Art. 5(3) of Directive "
                + "2002/58/EC). The client libraries keep a secret, what waits to be sent, and what people said."
        case .people:
            if plan.app.directedTo == .general {
                "Whether children or employees are among them, and what that asks for."
            } else {
                "How age and a parent's authority are checked (Art. 8(2)), and whether employees are among them. The "
                    + "plan leaves both to the client."
            }
        case .data:
            "Whether anything here is of a special category or about offences (Art. 9 and 10)."
            """
            Whether what is stored is personal data in your hands. While an event arrives, it has an address\
            \(plan.purposes.contains(where: \.hasIdentifiers) ? " and an identifier" : ""); \
            counters of small groups stay until about a week after their release.
            """
        case .recipients: recipients(of: plan)
        case .erasure:
            "How long backups of PostgreSQL, the proxy's logs and reports that were delivered are kept. Throng does "
                + "not reach them."
        case .measures:
            "TLS before the daemon, encrypted disks, who may reach PostgreSQL, and what the proxy writes down."
            "Whether an impact assessment is needed (Art. 35). 'throng plan label --dpia' drafts it."
        }
    }

    @ListBuilder<String> private static func recipients(of plan: Plan) -> [String] {
        "Who may sign in as an analyst or operator, and how they are told what is kept of them."
        "Whether numbers or servers leave the European Economic Area, where to, and by which safeguards (Chapter V). "
            + "The plan says where reports are sent, not where that is."
        if let relay = plan.app.relay {
            "Who runs the relay \(relay.host), which sees addresses and times, and by which contract. It has to be "
                + "somebody who is not told what the daemon learns."
        }
        if let evaluator = plan.app.evaluator {
            """
            Who runs the evaluator \(evaluator.url.host), which sees addresses, times and how many values are new to a device, \
            and by which contract. It has to be somebody who is not told what the daemon learns, and who gives its key to nobody.
            """
        }
        if !plan.partners.allSatisfy(\.isEverybody) {
            "What each partner may do with its reports, and how long it keeps them."
        }
    }

    private static func basis(of purpose: Purpose) -> String {
        if let basis = purpose.legalBasis {
            let proof =
                switch basis {
                case .contract: "why a contract with the people who are counted needs it"
                case .legalObligation, .publicTask: "the law that it rests on (Art. 6(3))"
                case .vitalInterests: "whose vital interests it guards"
                case .legitimateInterests: "which interests these are, and their balance with people's, written down"
                }
            let objection = basis.allowsObjection ? ". How people who object are left out from then on" : ""
            return "Purpose '\(purpose.name)': \(proof)\(objection)."
        }
        return purpose.needsConsent
            ? """
            Purpose '\(purpose.name)': how people are asked, how their answer is kept and how they take it back. \
            \(purpose.hasIdentifiers ? "What open windows have can be taken out then; what" : "What") was counted before stays counted.
            """
            : "Purpose '\(purpose.name)': the legal basis (Art. 6(1)), "
                + "such as legitimate interests with the balance written down."
    }
}
