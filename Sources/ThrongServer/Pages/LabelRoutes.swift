internal import Hummingbird
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

/// `GET /v1/label/APP`: the text of the page `GET /apps/APP`, for programs that show it, as the beacon's panel does.
struct LabelRoutes: Sendable {
    let plans: [Plan]
    let clock: UnixClock
    private let labels = DailyTexts<Address>()

    private struct Address: Hashable {
        let app: Int
        /// The language; nil for readers of none that the plan has.
        let language: LanguageTag?
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/label/:app") { request, context -> Response in
            guard let app = try plans.place(of: context) else { return .refusal(.unknownApp) }
            let plan = plans[app]
            let today = plan.labelDay(at: clock.now)
            let language = plan.labelLanguage(for: request)
            return try labels.text(at: Address(app: app, language: language), on: today) {
                let label = try plan.translated(into: language)
                    .label(today: today, in: Language(for: [language].compactMap { $0 })).json()
                return ServedText(
                    String(decoding: label, as: UTF8.self), type: "application/json", cachedFor: 300,
                    isTranslated: plan.isTranslated)
            }.response(to: request)
        }
    }
}

extension Plan {
    func labelDay(at now: UnixSeconds) -> CalendarDate {
        (PeriodCalendar(timeZone: app.timeZone) ?? .utc).date(at: now)
    }
}
