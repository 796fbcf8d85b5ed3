internal import ThrongNoise
internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease
internal import ThrongWire

extension Query {
    static let copyNoiseCells = Query("noise_cell.copy", PackageResources.noise_cell_copy_sql)
}

/// Reserves a draw: from here on it is paid for.
struct InsertDraw: Command {
    static let text = Query("noise_draw.insert", PackageResources.noise_draw_insert_sql)

    let metric: Int64
    let request: NoiseRequest
    /// What it is charged, and to which slots.
    let row: LedgerRow

    var parameters: [Parameter] {
        let (header, cost) = (request.header, request.terms.mechanism.cost)
        return [
            .integer(metric), .text(header.layout.app.text), .text(header.layout.metric.text),
            .text(request.purpose.text), header.period.kind.parameter, header.period.start.parameter,
            header.period.end.parameter, .integers(row.slots.map(\.start)), .integer(cost.code),
        ] + cost.amount.parameters + row.cost.parameters + [
            .integer(Int64(request.terms.cells)), .text(String(decoding: header.json, as: UTF8.self)),
        ]
    }
}

/// The draw of one noisy period: the schema's number and the header with which it was paid for, as JSON.
struct SelectDraw: RowQuery {
    static let text = Query("noise_draw.select", PackageResources.noise_draw_select_sql)

    let layout: MetricLayout
    let period: Period

    var parameters: [Parameter] {
        [.text(layout.app.text), .text(layout.metric.text), period.kind.parameter, period.start.parameter]
    }

    func row(_ columns: inout RowReader) throws -> (id: Int64, header: [UInt8]) {
        (try columns.integer(), try columns.bytes())
    }
}

/// Marks what was reserved as drawn; touches no row where it is not reserved, or drawn already.
struct StoreDraw: Command {
    static let text = Query("noise_draw.store", PackageResources.noise_draw_store_sql)

    let draw: Int64
    /// Over the drawn values.
    let digest: DrawDigest

    var parameters: [Parameter] { [.integer(draw), .bytes([UInt8](hex: digest.hex) ?? [])] }
}

/// Marks what was drawn as published; touches no row where it is not drawn, or published already.
struct PublishDraw: Command {
    static let text = Query("noise_draw.publish", PackageResources.noise_draw_publish_sql)

    let draw: Int64

    var parameters: [Parameter] { [.integer(draw)] }
}

/// The numbers of a draw, by measure, margin and cell: which cell each is of follows from the order.
struct SelectNoiseCells: RowQuery {
    static let text = Query("noise_cell.select", PackageResources.noise_cell_select_sql)

    let draw: Int64

    var parameters: [Parameter] { [.integer(draw)] }

    func row(_ columns: inout RowReader) throws -> (measure: Int, value: Int64) {
        (try columns.int(), try columns.integer())
    }
}

/// Deletes the numbers of a draw.
struct DeleteNoiseCells: Command {
    static let text = Query("noise_cell.delete", PackageResources.noise_cell_delete_sql)

    let draw: Int64

    var parameters: [Parameter] { [.integer(draw)] }
}

extension PrivacyLoss {
    /// 0 epsilon, 1 rho; also the mechanism that is paid in it.
    var code: Int64 {
        switch self {
        case .epsilon: 0
        case .rho: 1
        }
    }
}

extension Rational {
    /// Numerator and denominator, for numeric.
    var parameters: [Parameter] { [.text("\(numerator)"), .text("\(denominator)")] }
}
