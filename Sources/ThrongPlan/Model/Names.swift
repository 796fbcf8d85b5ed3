package import ThrongWire

/// The name of an insight.
package typealias InsightName = Name<Insight>
/// The name of a report.
package typealias ReportName = Name<Report>
