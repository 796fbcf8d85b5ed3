internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/ask`: where partners and analysts say which number they miss, see when it could come, and send it to the plan's owner, who
/// declines it here.
///
/// Analysts and operators see what it would take. A partner does not: lines and costs of a plan tell of others' metrics.
struct AskRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore

    func add(to router: Router<BasicRequestContext>) {
        router.get("/ask") { request, _ in
            // What can't be read asks for nothing.
            let query = try? AddressQuery(request.uri.query)
            return try await answer(request) { query?[$0] }
        }
        router.post("/ask") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            let form = try await Doorkeeper.form(of: request).filter { !$0.value.isEmpty && !$0.value.contains("\0") }
            return try await answer(request, keeps: true) { form[$0] }
        }
    }

    /// - Parameter keeps: true where the question is to be kept.
    private func answer(_ request: Request, keeps: Bool = false, _ value: (String) -> String?) async throws -> Response
    {
        guard let token = try await door.visitor(of: request) else {
            return try pages.signIn(for: request, status: .unauthorized)
        }
        if keeps, token.role == .operations {
            if let id = value("decline") { try await access.decline(id) }
            return SignInRoutes.redirect(to: "/operator#numbers-asked-for")
        }
        let language = pages.language(of: token.role, for: request)
        var partner = token.role == .operations ? value("partner").map { PartnerName($0) } : nil
        var known = pages.plans.first { $0.app.name.text == value("app") ?? $0.app.name.text }
        if case .partner(let name, of: let app) = token.role {
            partner = name
            known = pages.plans.first { $0.app.name == app && $0.partner(name) != nil }?.known(to: name)
        }
        guard let plan = known else {
            let role = language.say(.role, ["role": token.role.word])
            return try pages.notice(.gone, in: language, visitor: role, status: .forbidden)
        }
        let asked = AskedNumber(for: partner, value)
        let own = try await access.asked(by: token.id).filter { $0.app == plan.app.name }
        if keeps, let asked, asked.metric(of: plan) == nil {
            let answered = own.last { $0.state(in: [plan]) == "planned" }
            let form = AddressQuery.text(asked.form)
            if try await access.ask(form, app: plan.app.name, by: token.id, over: answered?.id) {
                return SignInRoutes.redirect(to: "/ask?" + AddressQuery.text([("app", plan.app.name.text)]))
            }
        }
        let problem = asked == nil ? keeps || value("kind") != nil ? "unclear" : nil : keeps ? "full" : nil
        let view = AskView(
            plan: plan.translated(into: language.tag), partner: partner, role: token.role, language: language)
        let visitor = view.plan.partner(partner ?? "")?.title ?? language.say(.role, ["role": token.role.word])
        var page = view.page(value, own, problem)
        page["frame"] = pages.frame(language.say(.ask), in: language, visitor: visitor)
        if let asked { page["drafts"] = [view.draft(asked, now: door.now())] }
        return try pages.response(page, by: "ask", status: problem == nil ? .ok : .badRequest)
    }
}

extension AskedQuestion {
    /// The partner in whose reports the number is missing; nil where an analyst misses it.
    var partner: PartnerName? { if case .partner(let name, of: _) = role { name } else { nil } }

    /// Reads what is asked, and finds the plan that is asked for it; nil where no plan of the app is here.
    func read(by plans: [Plan]) -> (asked: AskedNumber, plan: Plan)? {
        // A question that can't be read was kept by a later version.
        guard let plan = plans.first(where: { $0.app.name == app }), let query = try? AddressQuery(question),
            let asked = AskedNumber(for: partner, { query[$0] })
        else { return nil }
        return (asked, plan)
    }

    /// The state: `planned` once a plan has the number, `declined`, or `waits`.
    func state(in plans: [Plan]) -> String {
        let isPlanned = read(by: plans).map { $0.asked.metric(of: $0.plan) != nil } ?? false
        return isPlanned ? "planned" : declinedAt == nil ? "waits" : "declined"
    }
}

/// The view of `/ask`: a form in the plan's words, the draft of what was chosen, and what was asked before.
struct AskView {
    /// The plan, in the language.
    let plan: Plan
    let partner: PartnerName?
    let role: AccessRole
    let language: Language

    /// True if whoever looks may send a question, and false of its owner, who answers.
    private var sends: Bool { role != .operations }
    /// True if whoever looks is shown no lines and costs.
    private var isPartner: Bool { sends && partner != nil }

    private func word(_ word: String, _ title: String = "") -> String {
        language.say(.askWord, ["word": word, "title": title])
    }

    func told(_ what: String, _ period: String = "", _ time: String = "") -> String {
        let number = language.text(AskedQuestion.most)
        return language.say(.askTold, ["told": what, "period": period, "time": time, "number": number])
    }

    func page(_ value: (String) -> String?, _ own: [AskedQuestion], _ problem: String?) -> TemplateView {
        let rows = own.map { question in
            let date = language.date("yMMMd", plan.calendar.date(at: question.declinedAt ?? question.askedAt))
            let state = language.say(.askState, ["state": question.state(in: [plan]), "date": date])
            return (question.read(by: [plan])?.asked.words(of: plan, in: language) ?? question.question, [state])
        }
        return [
            "lede": language.say(.askWhy, ["role": role.word]), "problems": problem.map { [told($0)] } ?? [],
            "app": plan.app.name.text, "appTitle": plan.app.title, "partners": [partner?.text].compactMap(\.self),
            "groups": groups(value), "look": word(isPartner ? "when" : "look"), "drafts": [TemplateView](),
            "mine": tables("mine", ["number", "state"], rows),
        ]
    }

    /// - Returns: none where there are no rows.
    private func tables(_ title: String, _ heads: [String], _ rows: [(String, [String])]) -> [TemplateView] {
        let rows = rows.map { OperatorView.Row(rowHeads: [$0], tableCells: $1) }
        let table = OperatorView.Table(tableTitle: word(title), headings: heads.map { word($0) }, tableRows: rows)
        return rows.isEmpty ? [] : [["rowsTitle": word(title), "tables": [table]]]
    }

    func draft(_ asked: AskedNumber, now: UnixSeconds) -> TemplateView {
        let isMissing = asked.metric(of: plan) == nil
        let edit = isPartner ? nil : AskedEdit(asked, of: plan, now: now)
        var sentences = isMissing ? [] : [told("had")]
        if isMissing, edit == nil, !isPartner { sentences += (sends ? ["none", "anyway"] : ["none"]).map { told($0) } }
        if isMissing, let (period, at) = asked.first(of: plan, now: now) {
            let time = "\(plan.calendar.instantTitle(of: at, in: language)) \(plan.app.timeZone)"
            sentences.append(told("first", plan.calendar.title(of: period, in: language), time))
        }
        let form = isMissing && sends ? [("app", plan.app.name.text)] + asked.form : []
        return [
            "draftTitle": asked.words(of: plan, in: language), "sentences": sentences, "send": word("send"),
            "costs": tables("costs", ["number", "now", "then"], edit.map { rows(of: $0) } ?? []),
            "costsTitle": word("costs"), "costsSaid": told(edit?.isFree ?? true ? "same" : "changes"),
            "costsWhy": told("costs"), "linesTitle": word("lines"), "hasLines": edit != nil,
            "lines": edit?.lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? [],
            "sends": isMissing && sends,
            "hiddens": form.compactMap { name, value in
                value.map { ["hiddenName": name, "hiddenValue": $0] as TemplateView }
            },
        ]
    }

    /// The margins and costs that change: of what, how they are, and how they would be.
    private func rows(of edit: AskedEdit) -> [(String, [String])] {
        let then = edit.plan.translated(into: language.tag)
        return edit.changes.map { now, line in
            let metric = line.metric.flatMap { then.metric($0) }
            let titles = metric.map { then.tellingDimensions(of: $0) } ?? [:]
            let groups = line.names?.map { titles[$0]?.title ?? $0.text } ?? []
            let (isAll, time) = (line.metric == nil, language.duration(seconds: line.window ?? 0))
            let one = line.window.map { $0 < Rotation.longest.seconds ? "identifier" : isAll ? "all" : "device" }
            let head: KeyValuePairs<String, any MessageArgument> = [
                "row": line.names == nil ? one ?? "event" : groups.isEmpty ? "total" : "split",
                "title": metric?.title ?? "", "groups": language.list(groups), "time": time,
            ]
            let cells = [now, line].map {
                $0?.figures.map { text($0, of: then) }.joined(separator: language.say(.comma)) ?? "\u{2013}"
            }
            return (language.say(.askRow, head), cells)
        }
    }

    private func text(_ figure: MarginLine.Figure, of plan: Plan) -> String {
        let (words, sum) = (Wording(language), figure.sum)
        let noun = words.noun(figure.what == .events ? .events : .devices, of: figure.number)
        let number = Decimals(units: Int128(figure.number), places: sum?.decimals ?? 0)
        let text = words.amount(number, unit: sum?.unit ?? "")
        let title = sum.map { plan.title(summing: $0.field) } ?? ""
        return language.say(.askFigure, ["what": figure.what.rawValue, "number": text, "noun": noun, "title": title])
    }

    /// The form's fields, in the groups in which one reads them.
    private func groups(_ value: (String) -> String?) -> [TemplateView] {
        func group(_ name: String, _ fields: TemplateView...) -> TemplateView {
            ["groupTitle": word(name), "fields": fields]
        }
        func field(
            _ name: String, _ label: String? = nil, _ options: [(value: String, text: String)] = [], most: Int = 63
        ) -> TemplateView {
            let chosen = value(name) ?? (name == "kind" ? "day" : "")
            return [
                "fieldName": name, "fieldLabel": word(label ?? name), "isText": options.isEmpty, "most": most,
                "isName": most == 63, "written": chosen, "options": PortalPages.options(options, chosen: chosen),
            ]
        }
        let metrics = plan.metrics.filter { $0.within == nil && $0.answered == nil }
        let splits = plan.dimensions.filter { !$0.isRevealed }.map(\.name) + plan.derivedDimensions.map(\.name)
        let nothing = [("", language.say(.exploreChoice, ["choice": "nothing", "title": ""]))]
        let measures = [("events", Counted.events), ("devices", .devices)].map {
            ($0, Wording(language).noun($1).many.sentenceCased)
        }
        let sums = Set(plan.metrics.flatMap(\.sums).map(\.field)).sorted().map { field in
            let title = plan.title(summing: field)
            let mean = language.say(.exploreFigure, ["figure": "mean", "title": title])
            return ("sum.\(field)", partner == nil ? word("sum", title) : mean)
        }
        // A partner's periods are those of its reports.
        let own = plan.reports.filter { $0.partner == partner }.map(\.period)
        let kinds = PeriodKind.allCases.filter { partner == nil || own.contains($0) }.map {
            ($0.rawValue, language.say(.periodKind, ["kind": $0.rawValue]))
        }
        return [
            group("metric", field("metric", "known", metrics.map { ($0.name.text, $0.title) }), field("event")),
            group(
                "split", field("split", "known", nothing + splits.map { ($0.text, plan.title(of: $0) ?? $0.text) }),
                field("field")),
            group("how", field("measure", nil, measures + sums), field("amount")),
            group("why", field("kind", nil, kinds), field("decision", most: AskedNumber.longestDecision)),
        ]
    }
}
