internal import ThrongWire

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
            : """
            Purpose '\(purpose.name)': the legal basis (Art. 6(1)), such as legitimate interests with the balance written \
            down.
            """
    }
}
