// ThrongPlan: YAML in; a Plan and the layouts of its metrics out. No I/O but reading uap-core's rules.
//
//   Model      the plan: app, purposes, dimensions, metrics, reports (Plan, Metric, Insight)
//   Reading    the YAML, its keys and every problem with its line (PlanReader, PlanKeys)
//   Layout     what gives a counter its meaning (MetricLayout)
//   Margins    a metric's questions and how much noise they get (MarginShape, QuestionTexts)
//   Draft      a plan to begin with, made of a few answers (PlanDraft)
//   Changes    the difference between two plans (PlanComparison, PlanChange)
//   Label      the public privacy label (PrivacyLabel)
//   Record     the record of processing activities (ProcessingRecord)
//   Bucketing  a rule's fingerprint, and how user agents are read (UserAgentRules)
//   Cron       the times of reports (CronSchedule)
//
// Start with Model/Plan.swift, then Reading/PlanReader.swift. PlanReference.md is the page on it.
