// ThrongCrowd: a plan, and devices or none, in; batches, or what would be published, out.
// It is behind `throng try` and `throng plan check --simulate`.
//
//   Values    values for every bucket of a rule, as clients send them (BucketingRule.madeValues)
//   Crowd     a crowd's batches (Crowd): made up from a plan (MadeCrowd), recorded (RecordedDay), or the sample's shoppers
//   Forecast  a day of such a crowd, read, counted and released by the daemon's own code (Forecast)
//
// Start with Crowd/Crowd.swift or Forecast/Forecast.swift.
