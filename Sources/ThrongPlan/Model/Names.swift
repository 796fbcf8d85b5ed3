public import ThrongWire

/// The name of an insight.
public typealias InsightName = Name<Insight>
/// The name of a report.
public typealias ReportName = Name<Report>
