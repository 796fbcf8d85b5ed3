// ThrongSchedule: the clock in; releases, reports and deliveries that are due out, and what is old deleted.
//
//   ScheduleService   the round: is the clock believed, has everybody flushed, what is due?
//   Clock             whether the time of day is believed (ClockGuard, ClockTrust)
//   Release           decides a due release and commits it (ReleaseScheduler), or explains one (ReleaseExplainer)
//   Report            makes a due report (ReportScheduler)
//   Delivery          folders, signed manifests, PDF, workbooks, requests to partners (DeliveryQueue, ReportManifest); its
//                     Rounds are what every service that does something again and again is made of (PeriodicTask)
//   Health            figures for whoever watches over it (ScheduleHealth)
//
// Start with ScheduleService.swift.
