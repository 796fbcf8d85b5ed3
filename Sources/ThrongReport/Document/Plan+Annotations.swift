internal import ThrongPlan
internal import ThrongRelease

extension Plan {
    /// Returns the notes on the periods of a trend: the plan's own, and where another version of it began to count.
    func notes(on answer: InsightAnswer, from history: ReleaseHistory?) -> [PeriodNote] {
        guard case .trend(let points)? = answer.answered?.view else { return [] }
        let (names, locale) = (answer.names, answer.locale)
        let own = annotations.compactMap { annotation -> PeriodNote? in
            let instant = names.calendar.midnight(of: annotation.date)
            guard let point = points.first(where: { $0.period.start <= instant && instant < $0.period.end }) else {
                return nil
            }
            let date = locale.date("yMMMMd", annotation.date)
            return PeriodNote(
                period: point.period, words: locale.say(.annotation, ["date": date, "title": annotation.text]))
        }
        let releases = history.map { $0.earlier + [$0.current] } ?? []
        let versions = points.compactMap { point in
            releases.last { $0.header.period == point.period }.map { (period: point.period, plan: $0.header.plan) }
        }
        let edits = zip(versions, versions.dropFirst()).filter { $0.plan != $1.plan }.map { _, now in
            PeriodNote(period: now.period, words: locale.say(.planEdited, ["period": names.short(now.period)]))
        }
        return (own + edits).sorted { $0.period < $1.period }
    }
}
