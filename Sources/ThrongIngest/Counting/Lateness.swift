internal import ThrongPlan

/// The rule of the period that an event counts in: its own or, once that was released, the one that holds the present.
/// A release never changes.
///
/// The daemon knows what was released by the last flush. Of later releases only PostgreSQL knows, which moves what a
/// flush brings for them (`PendingFlush.redirect`).
struct Lateness: Sendable {
    var released: Set<ClosedPeriod> = []

    func isReleased(_ start: UnixSeconds, of metric: Int, in space: CellSpace) -> Bool {
        !released.isEmpty && released.contains(ClosedPeriod(layout: space.ids[metric], periodStart: start))
    }

    /// Returns the start of the period that takes what belongs to another one.
    func start(taking start: UnixSeconds, of metric: Int, now: UnixSeconds, in space: CellSpace) -> UnixSeconds {
        guard isReleased(start, of: metric, in: space) else { return start }
        return space.metrics[metric].calendar.period(space.layouts[metric].period, containing: now).start
    }
}
