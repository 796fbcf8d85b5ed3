// ThrongLoad: a plan, and devices or none, in; batches that were made before the clock runs, out. No I/O.
//
// `throng bench` and Deploy/bench post them, or hand them to one stage after the other: what they cost to make is no part of
// what is measured. It is no part of the daemon.
//
// Start with PreparedBatches.swift.
