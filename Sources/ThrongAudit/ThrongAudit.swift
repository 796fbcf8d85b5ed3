// ThrongAudit: published numbers and plans in; how closely they tell of few devices out. It is the attacker, behind
// `throng audit`, and shares no line with the code that draws. No I/O.
//
//   Input    what was published and said (AuditInput, AuditNumber)
//   Reading  reports, tables and releases read into it, with readers of its own (AuditInput+Report, HTMLTables)
//   Law      its own arithmetic of noise (NumberLaw, BestEstimate)
//   Checks   looks at every number and at sums of them (Auditor, Examination)
//   Outcome  findings, and the report on them (AuditFinding, AuditReport)
//
// Start with Checks/Auditor.swift. Audit.md is the page on it.
