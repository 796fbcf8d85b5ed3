// ThrongCrowd: a plan, and devices or none, in; batches, or what would be published, out.
// It is behind `throng bench` and `throng plan check --simulate`.
//
//   Sample    a crowd of devices that walks through a shop (Crowd)
//   Load      batches made from a plan (PreparedBatches), which throng-lab posts
//   Forecast  a day of such a crowd, read, counted and released by the daemon's own code (Forecast)
//
// Start with Sample/Crowd.swift or Forecast/Forecast.swift.
