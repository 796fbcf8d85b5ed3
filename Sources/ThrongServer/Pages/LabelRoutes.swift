internal import Hummingbird
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

/// `GET /v1/label/APP`: the text of the page `GET /apps/APP`, for programs that show it, as the beacon's panel does.
final class LabelRoutes: Sendable {
    private let plans: [Plan]
    private let clock: UnixClock
    /// The labels made so far. They change with the day, because metrics expire.
    private let labels = Mutex<[Key: ServedText]>([:])

    private struct Key: Hashable {
        let app: Int
        let day: CalendarDate
        /// The language; nil for readers of none that the plan has.
        let language: LanguageTag?
    }

    init(plans: [Plan], clock: UnixClock) {
        self.plans = plans
        self.clock = clock
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/label/:app") { [self] request, context -> Response in
            let app = try context.parameters.require("app")
            guard let place = plans.firstIndex(where: { $0.app.name.text.utf8.elementsEqual(app.utf8) }) else {
                return .refusal(.unknownApp)
            }
            return try label(of: place, for: request).response(to: request)
        }
    }

    private func label(of app: Int, for request: Request) throws -> ServedText {
        let plan = plans[app]
        let day = plan.labelDay(at: clock.now)
        let key = Key(app: app, day: day, language: plan.language(for: request))
        if let known = labels.withLock({ $0[key] }) { return known }
        let served = ServedText(
            String(decoding: try plan.translated(into: key.language).label(today: day).json(), as: UTF8.self),
            type: "application/json", cachedFor: 300, isTranslated: plan.isTranslated)
        labels.withLock { labels in
            labels = labels.filter { $0.key.app != app || $0.key.day == day }
            labels[key] = served
        }
        return served
    }
}

extension Plan {
    func labelDay(at now: UnixSeconds) -> CalendarDate {
        (PeriodCalendar(timeZone: app.timeZone) ?? .utc).date(at: now)
    }
}
