internal import ThrongPlan
internal import ThrongPostgres

/// The start of the last noisy period that the calendar has opened for a metric, nil where there is none; and when its
/// layout was met.
struct SelectLastNoisyPeriod: RowQuery {
    static let text = Query("noise_calendar.last", PackageResources.noise_calendar_last_sql)

    let metric: Int64
    let layout: MetricLayout

    var parameters: [Parameter] {
        [.text(layout.app.text), .text(layout.metric.text), layout.period.parameter, .integer(metric)]
    }

    func row(_ columns: inout RowReader) throws -> (last: UnixSeconds?, met: UnixSeconds) {
        (try columns.optionalTime(), try columns.time())
    }
}

/// Opens periods for noise, by the calendar and not by what was counted; touches those that are new. One in which an
/// exact layout of the metric was counted stays exact.
struct OpenNoisyPeriods: Command {
    static let text = Query("noise_calendar.insert", PackageResources.noise_calendar_insert_sql)

    let metric: Int64
    let layout: MetricLayout
    let periods: [Period]

    var parameters: [Parameter] {
        [
            .text(layout.app.text), .text(layout.metric.text), layout.period.parameter, .integer(metric),
            .integers(periods.map(\.start.value)), .integers(periods.map(\.end.value)),
        ]
    }
}

/// Whether a period of a metric is exact or noisy; none where nobody has decided.
struct SelectReleaseKind: RowQuery {
    static let text = Query("release_kind.select", PackageResources.release_kind_select_sql)

    let app: AppName
    let metric: MetricName
    let period: Period

    /// How a period is released.
    enum Kind: Hashable {
        case exact
        /// With the noise of this layout, by the schema's number.
        case noisy(metric: Int64)
    }

    var parameters: [Parameter] {
        [.text(app.text), .text(metric.text), period.kind.parameter, period.start.parameter]
    }

    func row(_ columns: inout RowReader) throws -> Kind {
        let (code, metric) = (try columns.integer(), try columns.optionalInteger())
        guard code == 1 else { return .exact }
        guard let metric else { throw Self.unexpected }
        return .noisy(metric: metric)
    }
}

/// Takes the place of the one process that releases a metric with noise, over all its transactions; says no where
/// another process has it.
struct LockNoise: RowQuery {
    static let text = Query("noise.lock", PackageResources.noise_lock_sql)

    let metric: Int64

    var parameters: [Parameter] { [.integer(metric)] }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}

/// Gives that place back.
struct UnlockNoise: Command {
    static let text = Query("noise.unlock", PackageResources.noise_unlock_sql)

    let metric: Int64

    var parameters: [Parameter] { [.integer(metric)] }
}
