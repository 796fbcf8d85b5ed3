// ThrongPlan: YAML in; a Plan and the layouts of its metrics out. No I/O but reading uap-core's rules.
//
//   Model      the plan: app, purposes, dimensions, metrics, reports (Plan, Metric, Insight)
//   Reading    the YAML and every problem with its line (PlanReader); its keys are made from Schema/plan.schema.json
//   Layout     what gives a counter its meaning (MetricLayout)
//   Margins    a metric's questions and how much noise they get (MarginShape, QuestionTexts)
//   Draft      a plan to begin with, made of a few answers (PlanDraft); Drafts.yaml has its parts
//   Changes    the difference between two plans (PlanComparison, PlanChange)
//   Languages  sentences, numbers and dates of each language, by ICU (Language, Message)
//   Label      the public privacy label (PrivacyLabel)
//   Record     the record of processing activities (ProcessingRecord), and an impact assessment's draft (ImpactAssessment)
//   Bucketing  a rule's fingerprint, and how user agents are read (UserAgentRules)
//   Cron       the times of reports (CronSchedule)
//
// Start with Model/Plan.swift, then Reading/PlanReader.swift. PlanReference.md is the page on it.
