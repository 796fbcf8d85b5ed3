internal import Foundation
internal import ThrongPlan
internal import ThrongPostgres

extension MetricLayout {
    /// Reads a layout's JSON from bytes.
    init(jsonBytes: [UInt8]) throws { try self.init(json: Data(jsonBytes)) }
}
